// Represents rules about floats with one variable. A rule states that an op on the variable, constants and at most one
// inner term equals a simpler target in some rounding modes. Defines what both sides mean in a given float format, and
// writes them in SMT-LIB.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_RULE_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_RULE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "tests/benchmark/peers/stp/float_ops.h"
#include "tests/benchmark/peers/stp/small_float.h"

namespace rewrought::peers {

enum class FloatConstant : uint8_t {
  kNaN,
  kPlusInfinity,
  kMinusInfinity,
  kPlusZero,
  kMinusZero,
  kPlusOne,
  kMinusOne,
};
inline constexpr int kFloatConstants = 7;

struct FloatOperand {
  enum class Kind : uint8_t {
    kVariable,
    kConstant,
    kInner,  // an op whose operands are all the variable
  };
  Kind kind = Kind::kVariable;
  FloatConstant constant = FloatConstant::kNaN;  // kConstant only
  FloatOp inner = FloatOp::kAbs;                 // kInner only

  bool operator==(const FloatOperand&) const = default;
};

// An op and its operands. All roundings use the same mode.
struct FloatCandidate {
  FloatOp op = FloatOp::kAbs;
  std::array<FloatOperand, 3> operands = {};  // the op's operands come first

  bool Rounds() const;                // whether the op or its inner term rounds
  bool Chooses() const;               // whether the op is fp.min or fp.max, which may return either of two zeros
  const FloatOperand* Inner() const;  // the inner term, or null
  bool operator==(const FloatCandidate&) const = default;
};

// A possible replacement of a candidate. Terms come first, then predicates.
struct FloatTarget {
  enum class Kind : uint8_t {
    kVariable,
    kNegated,   // fp.neg x
    kAbsolute,  // fp.abs x
    kConstant,
    kInner,  // the candidate's own inner term
    kTrue,
    kFalse,
    kIsNaN,
    kIsNotNaN,
    kIsZero,
    kIsInfinite,
    kIsNegative,
    kIsPositive,
  };
  Kind kind = Kind::kVariable;
  FloatConstant constant = FloatConstant::kNaN;  // kConstant only

  bool operator==(const FloatTarget&) const = default;
};

struct FloatRule {
  FloatCandidate candidate;
  FloatTarget target;
  uint8_t modes = 0;       // bit i: the rule holds in kRoundings[i]; only bit 0 for candidates that do not round
  bool confirmed = false;  // whether the rule also holds in the second format, in all of these modes

  bool HoldsIn(size_t mode) const { return (modes >> mode & 1) != 0; }
  // Returns readable text such as "(fp.add {RNE,RTN} x (fp.abs x)) -> x", where "rm" means all modes.
  std::string Describe() const;
};

// The meaning of candidates and targets in one format. Predicates have the values 0 and 1; all other values are bit
// patterns, in which NaNs are canonical.
class FloatMeaning {
 public:
  explicit FloatMeaning(SmallFormat format) : floats_(format) {}

  const SmallFloat& floats() const { return floats_; }
  uint32_t PatternOf(FloatConstant constant) const;
  uint32_t Value(const FloatCandidate& candidate, Rounding rounding, ZeroChoice choice, uint32_t x) const;
  // Returns the target's value in the candidate's mode, which affects the inner term.
  uint32_t Value(const FloatTarget& target, const FloatCandidate& candidate, Rounding rounding, uint32_t x) const;
  // Returns whether candidate and target are equal for this x, for every choice of zero.
  bool Equal(const FloatCandidate& candidate, const FloatTarget& target, Rounding rounding, uint32_t x) const;
  // Returns whether the rule holds at x in all its modes.
  bool HoldsAt(const FloatRule& rule, uint32_t x) const;
  // Returns the first pattern of the format at which the rule does not hold.
  std::optional<uint32_t> FirstDifference(const FloatRule& rule) const;

 private:
  uint32_t Value(const FloatOperand& operand, Rounding rounding, uint32_t x) const;

  SmallFloat floats_;
};

// Returns the SMT-LIB text of a side, with `rounding` as the mode; `constant` returns the text of a constant. The text
// does not specify which zero the candidate chooses.
using SpellConstant = absl::FunctionRef<std::string(FloatConstant)>;
std::string Spell(const FloatOperand& operand, absl::string_view rounding, SpellConstant constant);
std::string Spell(const FloatCandidate& candidate, absl::string_view rounding, SpellConstant constant);
std::string Spell(const FloatTarget& target, const FloatCandidate& candidate, absl::string_view rounding,
                  SpellConstant constant);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_RULE_H_
