// Rules about floats of one variable: an op on the variable, constants and at most one inner term, which in some
// rounding modes is something simpler. What both sides mean at a format, and how they are written.
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
    kInner,  // an op of which all operands are the variable
  };
  Kind kind = Kind::kVariable;
  FloatConstant constant = FloatConstant::kNaN;  // of kConstant
  FloatOp inner = FloatOp::kAbs;                 // of kInner

  bool operator==(const FloatOperand&) const = default;
};

// One op on operands; all that rounds does so in one mode.
struct FloatCandidate {
  FloatOp op = FloatOp::kAbs;
  std::array<FloatOperand, 3> operands = {};  // the first as many as the op takes

  bool Rounds() const;                // it, or the term within
  bool Chooses() const;               // fp.min or fp.max, which may give either of two zeros
  const FloatOperand* Inner() const;  // or null
  bool operator==(const FloatCandidate&) const = default;
};

// What a candidate may equal. Terms first, then predicates.
struct FloatTarget {
  enum class Kind : uint8_t {
    kVariable,
    kNegated,   // fp.neg x
    kAbsolute,  // fp.abs x
    kConstant,
    kInner,  // the candidate's own
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
  FloatConstant constant = FloatConstant::kNaN;  // of kConstant

  bool operator==(const FloatTarget&) const = default;
};

struct FloatRule {
  FloatCandidate candidate;
  FloatTarget target;
  uint8_t modes = 0;       // bit i: in kRoundings[i]; of what does not round bit 0 alone
  bool confirmed = false;  // in all of these modes, at the second format

  bool HoldsIn(size_t mode) const { return (modes >> mode & 1) != 0; }
  // "(fp.add {RNE,RTN} x (fp.abs x)) -> x", for people; "rm" for all modes.
  std::string Describe() const;
};

// What candidates and targets are at one format: values of predicates are 0 and 1, else patterns, NaN's canonical.
class FloatMeaning {
 public:
  explicit FloatMeaning(SmallFormat format) : floats_(format) {}

  const SmallFloat& floats() const { return floats_; }
  uint32_t PatternOf(FloatConstant constant) const;
  uint32_t Value(const FloatCandidate& candidate, Rounding rounding, ZeroChoice choice, uint32_t x) const;
  // In the candidate's mode, which matters to its inner term.
  uint32_t Value(const FloatTarget& target, const FloatCandidate& candidate, Rounding rounding, uint32_t x) const;
  // Whether both are the same for this x, whichever zero is chosen.
  bool Equal(const FloatCandidate& candidate, const FloatTarget& target, Rounding rounding, uint32_t x) const;
  // In all modes of the rule.
  bool HoldsAt(const FloatRule& rule, uint32_t x) const;
  // The first pattern of the format at which the rule does not hold.
  std::optional<uint32_t> FirstDifference(const FloatRule& rule) const;

 private:
  uint32_t Value(const FloatOperand& operand, Rounding rounding, uint32_t x) const;

  SmallFloat floats_;
};

// SMT-LIB text of each side: `rounding` stands where a mode does, `constant` spells constants. A candidate that
// chooses is spelled as if it did not.
using SpellConstant = absl::FunctionRef<std::string(FloatConstant)>;
std::string Spell(const FloatOperand& operand, absl::string_view rounding, SpellConstant constant);
std::string Spell(const FloatCandidate& candidate, absl::string_view rounding, SpellConstant constant);
std::string Spell(const FloatTarget& target, const FloatCandidate& candidate, absl::string_view rounding,
                  SpellConstant constant);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_STP_FLOAT_RULE_H_
