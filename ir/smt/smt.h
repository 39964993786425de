// The SMT-LIB domain writes values of a Dag as text that a solver can decide and that can be stored and solved again.
// The two encodings differ only in the float core: the floating-point theory (kNative), or uninterpreted functions with
// ground lemmas (kUninterpreted).
#ifndef REWROUGHT_IR_SMT_SMT_H_
#define REWROUGHT_IR_SMT_SMT_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/dag.h"

namespace rewrought::ir {

enum class FloatEncoding : uint8_t { kNative, kUninterpreted };

// The condition under which a lemma can help a query. Except for kAlways, the query must contain a literal ±1 or ±2, a
// sum with a literal, or such a sum times a power of two, in any of the forms that ir/smt/smt_scaling.cc recognizes.
enum class LemmaNeed : uint8_t { kAlways, kOne, kTwo, kLiteralAddend, kScaledSum };

// A fact about a float function, stated in terms of its operands x, y, and z and the core functions of
// ir/smt/smt_prelude.cc; `$` denotes the width. A query asserts the lemma for each application of the function. The
// lemma is sound because it holds when the core functions are interpreted as IEEE 754 operations; tests prove this at
// every width that a solver can handle.
struct Lemma {
  absl::string_view name;
  Primitive primitive;     // the lemma is instantiated at applications of this primitive
  absl::string_view text;  // a Boolean term
  LemmaNeed need = LemmaNeed::kAlways;
};

// Returns the lemmas in a fixed order.
absl::Span<const Lemma> AllLemmas();

// Returns the written argument for a lemma at `width` that no available solver decides, or "" if a solver proves the
// lemma (//verifier:lemmas_test). `name` may also be a float function ("ffma"); the argument is then for the function's
// definition in terms of its core function. Proofs that use the lemma or the definition rest on the argument.
absl::string_view ArgumentFor(absl::string_view name, int width);

// Returns `x` shifted left by `count`, both `width` bits wide, as a product. The uninterpreted encoding uses this form
// alongside other products of unknowns, because solvers reorder the factors of products but do not look through a shift
// between them.
std::string ShiftAsProduct(absl::string_view x, absl::string_view count, int width);

// Writes a query. Input k is named i<k>, choice k c<k>, and value k of the Dag v<k>. 1-bit values, including inputs and
// choices, are Bool; all others are bit vectors.
class SmtWriter {
 public:
  SmtWriter(const Dag& dag, FloatEncoding encoding) : dag_(dag), encoding_(encoding) {}

  // Defines all values reachable from `roots`, each once.
  void Define(absl::Span<const ValueIndex> roots);

  // `value` must have been defined.
  std::string NameOf(ValueIndex value) const;

  void Assert(absl::string_view term);

  // Returns the script without check-sat: logic, prelude for the used widths, declarations, definitions, assertions.
  std::string Text() const;

  // Returns the names and widths of the declared inputs and choices ("i0", "c3"), in order of declaration.
  const std::vector<std::pair<std::string, int>>& declared() const { return declared_; }

  // Returns the asserted lemmas, and the definitions that rest only on a written argument, each with its number of
  // instances.
  const std::vector<std::pair<std::string, int>>& lemmas_used() const { return lemmas_used_; }

 private:
  using Terms = absl::Span<const std::string>;

  std::string Expression(ValueIndex index);
  std::string BitExpression(const Value& value, Terms x, int operand_width);
  // Returns whether to write a shift as a product. This pays off only if the query contains products of two unknowns of
  // the same width (ShiftAsProduct).
  bool IsScaling(const Value& value) const;
  std::string FloatExpression(ValueIndex index, const Value& value, Terms x, int operand_width);
  absl::string_view FmaFunction(int width) const;
  std::string NativeResult(ValueIndex index, int width, const std::string& float_term);
  std::string Approximated(ValueIndex index, const Value& value, Terms x);
  void AssertLemmas(const Value& value, Terms x);
  void AssertLemma(const Lemma& lemma, int width, Terms x);
  // Asserts the kScaledSum lemmas for `value` if it has one of the forms that these lemmas equate.
  void AssertScaledSums(const Value& value);
  void AssertScaledSum(int width, ValueIndex x, bool negate, uint64_t factor, uint64_t addend);
  void NoteLemma(const std::string& name);
  void Name(ValueIndex index, int width, absl::string_view expression);
  // Returns whether the Dag contains the `width`-bit literal ±1 (`exponent_step` 0) or ±2 (1).
  bool HasLiteral(int exponent_step, int width) const;

  const Dag& dag_;
  const FloatEncoding encoding_;
  std::vector<bool> defined_;
  std::set<int> product_widths_;  // widths of products of two unknowns
  std::set<int> float_widths_;
  std::set<std::string> extra_declarations_;  // functions from one width to another
  std::vector<std::pair<std::string, int>> declared_;
  std::vector<std::pair<std::string, int>> lemmas_used_;
  std::set<std::string> scaled_sums_;  // instances already asserted
  // The applications of approximated functions so far. Ackermann's congruence axioms are written for each pair.
  std::vector<std::pair<uint64_t, std::pair<int, std::vector<std::string>>>> approximations_;
  std::vector<std::string> approximation_results_;
  std::string body_;
};

// Replaces `$` with the width, and the constants of its format (`@nan`, `@one`, …) with literals.
std::string ExpandFloatText(absl::string_view text, int width);

std::string SmtLiteral(uint64_t value, int width);

// Returns the definitions that float terms of `width` bits (16, 32, 64) use. The core functions are declared
// (kUninterpreted) or defined as IEEE 754 operations (kNative).
std::string FloatPrelude(int width, FloatEncoding encoding);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SMT_SMT_H_
