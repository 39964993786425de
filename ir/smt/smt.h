// The SMT-LIB domain: values of a Dag as text, which is what is solved, stored and checked again. Two encodings share
// all but the float core: IEEE theory (kNative), or uninterpreted functions under ground lemmas (kUninterpreted).
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

// A fact about one float function, over x y (z) and the core functions of ir/smt/smt_prelude.cc; `$` stands for the
// width. In a query it is asserted of each application; it holds because `$`'s core functions may be read as IEEE's own
// (tests prove it so, at every width where a solver can).
// What a query must have, or the lemma says nothing: a literal ±1, ±2; a sum with a literal; a sum with a literal times
// a power of two, or what such a product may be written as (ir/smt/smt_scaling.cc).
enum class LemmaNeed : uint8_t { kAlways, kOne, kTwo, kLiteralAddend, kScaledSum };

struct Lemma {
  absl::string_view name;
  Primitive primitive;     // whose applications it is instantiated at
  absl::string_view text;  // a Boolean term
  LemmaNeed need = LemmaNeed::kAlways;
};

// All lemmas that the uninterpreted encoding may assert, in a fixed order.
absl::Span<const Lemma> AllLemmas();

// Why the lemma `name`, or the definition of a float function ("ffma") by its core, holds at `width` where no solver at
// hand decides it: what rests on it rests on this argument. Empty where a solver proves it (//verifier:lemmas_test).
absl::string_view ArgumentFor(absl::string_view name, int width);

// `x` shifted left by `count`, both of `width` bits, as a product: what the uninterpreted encoding writes beside other
// products of unknowns. Solvers order the factors of products, and see through no shift that stands between them.
std::string ShiftAsProduct(absl::string_view x, absl::string_view count, int width);

// Writes one query. Names: i<k> is input k, c<k> choice k, v<k> a value of the Dag. 1-bit values are Bool, all others
// bit vectors; inputs and choices of 1 bit are declared as Bool too.
class SmtWriter {
 public:
  SmtWriter(const Dag& dag, FloatEncoding encoding) : dag_(dag), encoding_(encoding) {}

  // Defines everything below `roots`, each value once.
  void Define(absl::Span<const ValueIndex> roots);

  // The term that names `value`, which must have been defined.
  std::string NameOf(ValueIndex value) const;

  // Appends "(assert term)".
  void Assert(absl::string_view term);

  // The whole script without check-sat: logic, prelude for the widths used, declarations, definitions, assertions.
  std::string Text() const;

  // Names of the declared inputs and choices, "i0", "c3", with their widths, in order of declaration.
  const std::vector<std::pair<std::string, int>>& declared() const { return declared_; }

  // The lemmas asserted, by name and number of instances, and the definitions that have an argument only.
  const std::vector<std::pair<std::string, int>>& lemmas_used() const { return lemmas_used_; }

 private:
  using Terms = absl::Span<const std::string>;

  std::string Expression(ValueIndex index);
  std::string BitExpression(const Value& value, Terms x, int operand_width);
  // Whether a shift is written as a product: beside products of unknowns alone, whose circuits it saves.
  bool IsScaling(const Value& value) const;
  std::string FloatExpression(ValueIndex index, const Value& value, Terms x, int operand_width);
  absl::string_view FmaFunction(int width) const;
  std::string NativeResult(ValueIndex index, int width, const std::string& float_term);
  std::string Approximated(ValueIndex index, const Value& value, Terms x);
  void AssertLemmas(const Value& value, Terms x);
  void AssertLemma(const Lemma& lemma, int width, Terms x);
  // The lemmas of kScaledSum, where `value` is a part of one of the forms that they hold equal.
  void AssertScaledSums(const Value& value);
  void AssertScaledSum(int width, ValueIndex x, bool negate, uint64_t factor, uint64_t addend);
  void NoteLemma(const std::string& name);
  void Name(ValueIndex index, int width, absl::string_view expression);
  // Whether ±1 (`exponent_step` 0) or ±2 (1) of `width` bits is a literal of the Dag.
  bool HasLiteral(int exponent_step, int width) const;

  const Dag& dag_;
  const FloatEncoding encoding_;
  std::vector<bool> defined_;
  std::set<int> product_widths_;  // of products of two unknowns
  std::set<int> float_widths_;
  std::set<std::string> extra_declarations_;  // functions between widths
  std::vector<std::pair<std::string, int>> declared_;
  std::vector<std::pair<std::string, int>> lemmas_used_;
  std::set<std::string> scaled_sums_;  // asserted
  // Applications of approximated functions so far: Ackermann's congruence is written pairwise.
  std::vector<std::pair<uint64_t, std::pair<int, std::vector<std::string>>>> approximations_;
  std::vector<std::string> approximation_results_;
  std::string body_;
};

// Replaces `$` by the width and the constants of its format (`@nan`, `@one`, …) by literals.
std::string ExpandFloatText(absl::string_view text, int width);

// A bit-vector or Boolean literal of `width` bits.
std::string SmtLiteral(uint64_t value, int width);

// The definitions that float terms of `width` bits (16, 32, 64) refer to, with the core functions declared
// (kUninterpreted) or defined as IEEE's (kNative).
std::string FloatPrelude(int width, FloatEncoding encoding);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SMT_SMT_H_
