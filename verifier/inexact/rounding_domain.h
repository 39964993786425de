// Reads one side of an inexact rule over the reals, and computes the effect of each rounding on its values. The
// outcomes of comparisons, and of drivers' choices of fused products, are assumed case by case.
#ifndef REWROUGHT_VERIFIER_INEXACT_ROUNDING_DOMAIN_H_
#define REWROUGHT_VERIFIER_INEXACT_ROUNDING_DOMAIN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "verifier/inexact/inexact_formula.h"
#include "verifier/inexact/inexact_polynomial.h"
#include "verifier/inexact/inexact_reals.h"

namespace rewrought::verifier {

// The first id of the CaseWalk conditions that are not formulas. These select the products that are fused with sums.
inline constexpr FormulaId kFirstFusing = FormulaId{1} << 31;

inline constexpr int kManyDigits = 1 << 20;  // of a value that is not rounded

// Maps each rounding to the change of a value per relative change of the rounded value.
using Effects = std::map<size_t, Fraction>;

// The assumed outcomes of the conditions encountered so far. A new condition is assumed to be false; `Next` enumerates
// all combinations.
class CaseWalk {
 public:
  // Returns the assumed outcome of `condition`.
  bool Take(FormulaId condition);

  // Advances to the next combination. Returns false after the last one.
  bool Next();

  const std::map<FormulaId, bool>& taken() const { return taken_; }

 private:
  std::map<FormulaId, bool> taken_;
  std::vector<FormulaId> order_;
};

// Computed values up to their sign. Equal computations have equal numbers, and therefore equal roundings.
class Computations {
 public:
  // A computation whose result is rounded, in the current case.
  struct Rounding {
    std::string value;           // the real number that is rounded, up to its sign
    bool exact_operands = true;  // only the result is rounded
    bool certain = false;        // the computation rounds for almost all values of the variables
  };

  // Returns the number of the computation that `text` describes.
  size_t Number(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

  // States that the computation `number` rounds `value`, which is nonzero.
  void SetRounding(size_t number, const Fraction& value, bool exact_operands, bool certain);
  const Rounding& RoundingOf(size_t number) const { return roundings_.at(number); }

 private:
  std::map<std::string, size_t> numbers_;
  std::map<size_t, Rounding> roundings_;
};

// The domain of RealReader that computes each rounding's effect on a value. An object can read only one side, once.
class RoundingDomain {
 public:
  struct Real {
    NormalForms::Real number;
    Effects effects = {};                // by the number of the computation that rounds
    size_t computation = 0;              // in Computations
    bool negated = false;                // the value is the computation's result with the opposite sign
    int digits = kManyDigits;            // an upper bound on the significant bits
    bool constant = false;               // a literal, a constant variable, or an op that is folded to a constant
    bool coarse = false;                 // has few significant digits for many values of the variables: see IsVaried
    bool varied_product = false;         // a product that rounds for almost all values of the variables
    bool product_of_constant = false;    // a product with a constant operand
    bool product_of_constants = false;   // a product that is folded to a constant if its operands really are constants
    std::optional<size_t> product = {};  // the computation of the product that defines the value, ignoring its sign
    bool through_abs = false;            // the value is the product's magnitude
  };
  struct Truth {
    NormalForms::Truth formula;
  };
  using Jumps = std::map<std::string, std::vector<Effects>>;  // keyed by the value that decides them

  // The side that is read, and how its products are fused. `uses` counts the uses of each product in an earlier reading
  // of the same side; null if no product is fused.
  struct Side {
    bool is_search = false;
    const std::map<size_t, int>* uses = nullptr;
    bool keeps_products_of_constants = false;
    bool has_inner_products = false;
    const std::set<uint32_t>* constants = nullptr;  // inputs
  };

  RoundingDomain(const ir::Dag* dag, NormalForms* forms, CaseWalk* walk, Computations* computations, int unit_bits,
                 Side side)
      : dag_(dag), forms_(*forms), walk_(*walk), computations_(*computations), unit_bits_(unit_bits), side_(side) {}

  Real Literal(double value);
  Real RealInput(uint32_t input);
  Truth TruthInput(uint32_t input) { return {forms_.TruthInput(input)}; }
  Truth FromBool(bool value) { return {forms_.FromBool(value)}; }
  Truth Not(const Truth& x) { return {forms_.Not(x.formula)}; }
  Truth And(const Truth& x, const Truth& y) { return {forms_.And(x.formula, y.formula)}; }
  Truth SelectTruth(const Truth& condition, const Truth& x, const Truth& y);
  Real Select(const Truth& condition, const Real& x, const Real& y);
  Truth Compare(ir::Primitive comparison, const Real& x, const Real& y);
  Real CopySign(double magnitude, const Real& x);
  // Returns the result of a float primitive, which is folded if all operands are constants.
  Real Apply(const ir::Value& value, absl::Span<const Real> x);

  // Counts a use of `x` if it is a product, and returns `x`.
  const Real& Used(const Real& x);
  // Returns the truth of `formula` in the current case.
  bool Decide(FormulaId formula);

  const Jumps& jumps() const { return jumps_; }
  const std::map<size_t, int>& uses() const { return uses_; }
  // Returns why the side could not be read, or an empty string.
  const std::string& unsupported() const { return unsupported_; }

 private:
  static Effects Scaled(const Effects& effects, const Fraction& factor);
  static Effects Negated(const Effects& effects) { return Scaled(effects, Fraction::Constant(-1)); }
  static Effects Sum(Effects x, const Effects& y);
  static Effects ProductEffects(absl::Span<const Real> x);
  static std::vector<NormalForms::Real> Numbers(absl::Span<const Real> x);
  static Fraction Difference(const Real& x, const Real& y) { return Add(x.number.value, Negate(y.number.value)); }
  static Real Plain(Real x);
  static Real NegatedReal(Real x);
  // Returns whether the value has many significant digits for almost all values of the variables. Whole numbers do not,
  // and neither does a sum that may cancel, even if it is fused: close to its zeros, its remaining digits are few and
  // exact.
  static bool IsVaried(const Real& x) { return !x.constant && !x.coarse; }
  static bool IsExactZero(const Real& x);
  static bool IsScale(const Real& x);
  bool Below(const Real& x, const Real& y);

  // A computation, and whether the value has the opposite sign of the computation's result.
  struct Computed {
    size_t number = 0;
    bool negated = false;
  };

  static std::string Signed(const Computed& x) { return absl::StrCat(x.negated ? "-" : "", x.number); }
  static Computed Of(const Real& x) { return {x.computation, x.negated}; }
  static std::string NameOf(const ir::Value& value);

  Computed ProductOf(const ir::Value& value, absl::Span<const Real> x);
  // Numbers the computation `name` of x and y. Swapping the operands does not change the number. Negating both of them
  // does not change it either, but inverts `negated`.
  Computed SumOf(const std::string& name, Computed x, Computed y);
  Computed FusedSum(const ir::Value& value, const Computed& product, const Real& addend);
  Computed FunctionOf(const ir::Value& value, absl::Span<const Real> x);

  // Returns whether the driver fuses the product `x` with the sum that adds `addend` to it. Where drivers differ, or
  // where fusing depends on constants, both outcomes are cases. For equal products and addends, both sides have the
  // same outcome.
  bool IsFused(const Real& x, const Real& addend);

  const char* SideName() const { return side_.is_search ? " search" : " replace"; }

  // Returns the outcome of a condition that is not a formula in the current case.
  bool Either(const std::string& condition);

  Real Applied(const ir::Value& value, absl::Span<const Real> x);

  // Returns the product of the factors of `x`, before it is rounded.
  static Computed FactorsOf(const Real& x) { return {*x.product, x.negated}; }

  Real Added(const ir::Value& value, absl::Span<const Real> x);
  // Returns whether the values have the same sign for all values of the variables, or one of them is 0.
  bool HaveSameSign(const Fraction& x, const Fraction& y) const;
  Real Product(const ir::Value& value, absl::Span<const Real> x);
  Real Converted(const ir::Value& value, absl::Span<const Real> x);
  // Returns the result of a primitive that rounds to whole numbers.
  Real Whole(const ir::Value& value, absl::Span<const Real> x);
  Real Rounded(const ir::Value& value, absl::Span<const Real> x, Effects effects, bool exact, const Computed& computed,
               bool certain);

  // Records a value at which the result is discontinuous, scaled so that equal conditions have the same key.
  void Jump(const char* kind, const Fraction& value, const Effects& effects);

  Real Function(const ir::Value& value, absl::Span<const Real> x);
  // Returns whether the function rounds, and has many significant digits, for almost all values of its operand.
  static bool HasManyDigits(const ir::Value& value);
  // Returns the result of applying `function` to the value of `x`.
  Fraction ValueOf(ir::Approximation function, const Real& x);
  // Returns the derivative with respect to operand k; `result` is the function's value.
  std::optional<Fraction> Slope(const ir::Value& value, absl::Span<const Real> x, const Fraction& result, size_t k);

  const ir::Dag* const dag_;
  NormalForms& forms_;
  CaseWalk& walk_;
  Computations& computations_;
  const int unit_bits_;
  const Side side_;
  std::map<size_t, int> uses_;
  Jumps jumps_;
  std::string unsupported_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_ROUNDING_DOMAIN_H_
