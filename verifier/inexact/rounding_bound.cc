#include "verifier/inexact/rounding_bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "verifier/inexact/inexact_reading.h"
#include "verifier/inexact/inexact_reals.h"
#include "verifier/inexact/span_of_terms.h"

namespace rewrought::verifier {
namespace {

constexpr size_t kMostCases = 256;  // maximum number of outcomes of a rule's comparisons and fusings

// The first id of the CaseWalk conditions that are not formulas. These select which of two products is fused with a
// sum.
constexpr FormulaId kFirstFusing = FormulaId{1} << 31;

// ln 2 and pi with more digits than a double has; both sides use the same values.
const mpq_class& Ln2() {
  static const mpq_class value("693147180559945309417/1000000000000000000000");
  return value;
}
const mpq_class& Pi() {
  static const mpq_class value("3141592653589793238463/1000000000000000000000");
  return value;
}

constexpr int kManyDigits = 1 << 20;       // of a value that is not rounded
constexpr size_t kOwnRounding = SIZE_MAX;  // denotes the rounding of the result

int PrecisionOf(int width) { return ir::IsFloatWidth(width) ? ir::FormatOf(width).mantissa_bits + 1 : kManyDigits; }

// Returns the number of significant bits if the denominator is a power of two, and kManyDigits otherwise.
int DigitsOf(const Fraction& x) {
  if (!x.IsConstant()) return kManyDigits;
  const mpq_class value = abs(x.value());
  if (value == 0) return 0;
  if (mpz_popcount(value.get_den().get_mpz_t()) != 1) return kManyDigits;
  const mpz_class& n = value.get_num();
  return static_cast<int>(mpz_sizeinbase(n.get_mpz_t(), 2) - mpz_scan1(n.get_mpz_t(), 0));
}

// Maps each rounding to the change of a value per relative change of the rounded value.
using Effects = std::map<size_t, Fraction>;

bool IsPowerOfTwo(const Fraction& x) {
  if (!x.IsConstant() || x.value() == 0) return false;
  const mpq_class value = abs(x.value());
  const auto single_bit = [](const mpz_class& n) { return mpz_popcount(n.get_mpz_t()) == 1; };
  return single_bit(value.get_num()) && single_bit(value.get_den());
}

bool IsZero(const Fraction& x) { return x.numerator.IsZero(); }

mpq_class PowerOfTwo(int exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 2, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

// The assumed outcomes of the conditions encountered so far. A new condition is assumed to be false; `Next` enumerates
// all combinations.
class CaseWalk {
 public:
  bool Take(FormulaId condition) {
    const auto found = taken_.find(condition);
    if (found != taken_.end()) return found->second;
    order_.push_back(condition);
    return taken_[condition] = false;
  }

  // Advances to the next combination. Returns false after the last one.
  bool Next() {
    while (!order_.empty() && taken_[order_.back()]) {
      taken_.erase(order_.back());
      order_.pop_back();
    }
    if (order_.empty()) return false;
    return taken_[order_.back()] = true;
  }

  const std::map<FormulaId, bool>& taken() const { return taken_; }

 private:
  std::map<FormulaId, bool> taken_;
  std::vector<FormulaId> order_;
};

// The domain of RealReader that computes each rounding's effect on a value. An object can read only one side, once.
class RoundingDomain {
 public:
  struct Real {
    NormalForms::Real number;
    Effects effects;
    int digits = kManyDigits;          // an upper bound on the significant bits
    bool integral = false;             // a whole number
    bool may_be_constant = false;      // a literal or a variable, possibly with its sign changed
    bool product_of_constant = false;  // a product with an operand that may be constant
    std::optional<size_t> product;     // the rounding of the product that defines the value, ignoring its sign
  };
  struct Truth {
    NormalForms::Truth formula;
  };
  struct Rounding {
    // Whether the operation rounds for almost all inputs. A sum does not, because it is exact if its operands cancel
    // (Sterbenz's lemma). A product with a whole number does not, because the whole number may be 1.
    bool certain = true;
    std::string key;  // equal for sums of equal values, which have the same error on both sides
  };
  using Jumps = std::map<std::string, std::vector<Effects>>;  // keyed by the value that decides them

  // `uses` counts the uses of each product's rounding in an earlier reading of the same side; null if no product is
  // fused.
  RoundingDomain(const ir::Dag* dag, NormalForms* forms, CaseWalk* walk, int unit_bits, bool is_search,
                 const std::map<size_t, int>* uses, bool keeps_products_of_constants)
      : dag_(dag),
        forms_(*forms),
        walk_(*walk),
        unit_bits_(unit_bits),
        is_search_(is_search),
        fused_uses_(uses),
        keeps_products_of_constants_(keeps_products_of_constants) {}

  Real Literal(double value) {
    Real literal{.number = forms_.Literal(value)};
    literal.digits = DigitsOf(literal.number.value);
    literal.integral = std::floor(value) == value;
    literal.may_be_constant = true;
    return literal;
  }
  Real RealInput(uint32_t input) {
    Real variable{.number = forms_.RealInput(input)};
    variable.digits = PrecisionOf(dag_->inputs()[input].width);
    variable.may_be_constant = true;
    return variable;
  }
  Truth TruthInput(uint32_t input) { return {forms_.TruthInput(input)}; }
  Truth FromBool(bool value) { return {forms_.FromBool(value)}; }
  Truth Not(const Truth& x) { return {forms_.Not(x.formula)}; }
  Truth And(const Truth& x, const Truth& y) { return {forms_.And(x.formula, y.formula)}; }
  Truth SelectTruth(const Truth& condition, const Truth& x, const Truth& y) {
    return {forms_.SelectTruth(condition.formula, x.formula, y.formula)};
  }
  Real Select(const Truth& condition, const Real& x, const Real& y) {
    Used(x), Used(y);  // a product is rounded even for the branch that is not taken
    return Plain(Decide(condition.formula.truth) ? x : y);
  }
  Truth Compare(ir::Primitive comparison, const Real& x, const Real& y) {
    Used(x), Used(y);
    Jump("sign", Difference(x, y), Sum(x.effects, Negated(y.effects)));
    return {forms_.Compare(comparison, x.number, y.number)};
  }
  Real CopySign(double magnitude, const Real& x) {
    Jump("sign", Used(x).number.value, x.effects);
    return Literal(Below(x, Literal(0)) ? -magnitude : magnitude);
  }

  Real Apply(const ir::Value& value, absl::Span<const Real> x) {
    using ir::Primitive;
    if (value.primitive == Primitive::kFneg) return NegatedReal(x[0]);
    for (const Real& operand : x) Used(operand);
    switch (value.primitive) {
      case Primitive::kFadd:
        return Added(value, x);
      case Primitive::kFmul:
        return Product(value, x);
      case Primitive::kFfma: {
        const bool exact = IsZero(x[0].number.value) || IsZero(x[1].number.value);
        return Rounded(value, x, Sum(ProductEffects(x), x[2].effects), exact, {});
      }
      case Primitive::kFabs:
        return Below(x[0], Literal(0)) ? NegatedReal(x[0]) : Plain(x[0]);
      case Primitive::kFmin:
        return Plain(Below(x[0], x[1]) ? x[0] : x[1]);
      case Primitive::kFmax:
        return Plain(Below(x[0], x[1]) ? x[1] : x[0]);
      case Primitive::kFfloor:
      case Primitive::kFceil:
      case Primitive::kFroundeven:
        Jump(value.primitive == Primitive::kFroundeven ? "half" : "integer", x[0].number.value, x[0].effects);
        return Whole(value, x);
      case Primitive::kFtrunc: {
        Jump("integer", x[0].number.value, x[0].effects);
        ir::Value towards_zero = value;
        towards_zero.primitive = Below(x[0], Literal(0)) ? Primitive::kFceil : Primitive::kFfloor;
        return Whole(towards_zero, x);
      }
      case Primitive::kF2f:
        return Converted(value, x);
      default:
        return Function(value, x);
    }
  }

  const Real& Used(const Real& x) {
    if (x.product.has_value()) ++uses_[*x.product];
    return x;
  }

  bool Decide(FormulaId formula) {
    const Formula stated = forms_.formulas().at(formula);
    switch (stated.kind) {
      case FormulaKind::kFalse:
        return false;
      case FormulaKind::kTrue:
        return true;
      case FormulaKind::kNot:
        return !Decide(stated.operands[0]);
      case FormulaKind::kAnd:
        return std::all_of(stated.operands.begin(), stated.operands.end(),
                           [&](FormulaId part) { return Decide(part); });
      case FormulaKind::kNegative:
      case FormulaKind::kZero:
      case FormulaKind::kVariable:
        return walk_.Take(formula);
    }
    return false;
  }

  const Jumps& jumps() const { return jumps_; }
  const std::map<size_t, int>& uses() const { return uses_; }
  const std::vector<Rounding>& roundings() const { return roundings_; }
  const std::string& unsupported() const { return unsupported_; }

 private:
  static Effects Scaled(const Effects& effects, const Fraction& factor) {
    Effects scaled;
    for (const auto& [rounding, effect] : effects) {
      if (Fraction product = Multiply(effect, factor); !IsZero(product)) scaled.emplace(rounding, std::move(product));
    }
    return scaled;
  }
  static Effects Negated(const Effects& effects) { return Scaled(effects, Fraction::Constant(-1)); }
  static Effects Sum(Effects x, const Effects& y) {
    for (const auto& [rounding, effect] : y) {
      const auto [place, added] = x.try_emplace(rounding, effect);
      if (!added) place->second = Add(place->second, effect);
      if (IsZero(place->second)) x.erase(place);
    }
    return x;
  }
  static Effects ProductEffects(absl::Span<const Real> x) {
    return Sum(Scaled(x[0].effects, x[1].number.value), Scaled(x[1].effects, x[0].number.value));
  }
  static std::vector<NormalForms::Real> Numbers(absl::Span<const Real> x) {
    std::vector<NormalForms::Real> numbers;
    for (const Real& one : x) numbers.push_back(one.number);
    return numbers;
  }
  static Fraction Difference(const Real& x, const Real& y) { return Add(x.number.value, Negate(y.number.value)); }
  static Real Plain(Real x) {
    x.product.reset();
    return x;
  }
  static Real NegatedReal(Real x) {
    x.number.value = Negate(x.number.value);
    x.effects = Negated(x.effects);
    return x;
  }

  bool Below(const Real& x, const Real& y) {
    return Decide(forms_.Compare(ir::Primitive::kFlt, x.number, y.number).truth);
  }

  // Returns whether the driver fuses the product `x` with the sum that adds `addend` to it.
  bool IsFused(const Real& x, const Real& addend) const {
    if (fused_uses_ == nullptr || !x.product.has_value()) return false;
    if (is_search_) return true;
    if (keeps_products_of_constants_ && x.product_of_constant && addend.may_be_constant) return false;
    const auto uses = fused_uses_->find(*x.product);
    return uses != fused_uses_->end() && uses->second == 1;
  }

  Real Added(const ir::Value& value, absl::Span<const Real> x) {
    Effects left = x[0].effects, right = x[1].effects;
    bool fuses_left = IsFused(x[0], x[1]), fuses_right = IsFused(x[1], x[0]);
    if (fuses_left && fuses_right) {
      fuses_left = walk_.Take(kFirstFusing + 2 * static_cast<FormulaId>(roundings_.size()) + (is_search_ ? 1 : 0));
      fuses_right = !fuses_left;
    }
    if (fuses_left) left.erase(*x[0].product);
    if (fuses_right) right.erase(*x[1].product);
    const bool exact = IsZero(x[0].number.value) || IsZero(x[1].number.value) || x[0].number.value == x[1].number.value;
    Rounding rounding{.certain = fuses_left || fuses_right};
    if (!rounding.certain) {
      std::string a = Spell(x[0].number.value), b = Spell(x[1].number.value);
      if (b < a) std::swap(a, b);
      rounding.key = absl::StrCat(value.width, ":", a, "+", b);
    }
    Real sum = Rounded(value, x, Sum(std::move(left), right), exact, std::move(rounding));
    sum.integral = x[0].integral && x[1].integral;
    return sum;
  }

  Real Product(const ir::Value& value, absl::Span<const Real> x) {
    const int digits = x[0].digits + x[1].digits;
    const bool exact =
        IsPowerOfTwo(x[0].number.value) || IsPowerOfTwo(x[1].number.value) || digits <= PrecisionOf(value.width);
    Real product = Rounded(value, x, ProductEffects(x), exact, {.certain = !x[0].integral && !x[1].integral});
    product.digits = std::min(digits, PrecisionOf(value.width));
    product.integral = x[0].integral && x[1].integral;
    product.product_of_constant = x[0].may_be_constant || x[1].may_be_constant;
    return product;
  }

  Real Converted(const ir::Value& value, absl::Span<const Real> x) {
    const bool exact = value.width >= dag_->OperandWidth(value) || x[0].digits <= PrecisionOf(value.width);
    Real converted = Rounded(value, x, x[0].effects, exact, {.certain = !x[0].integral});
    converted.digits = std::min(x[0].digits, PrecisionOf(value.width));
    converted.integral = x[0].integral;
    return converted;
  }

  // Returns the result of a primitive that rounds to whole numbers.
  Real Whole(const ir::Value& value, absl::Span<const Real> x) {
    Real whole{.number = forms_.Apply(value, Numbers(x))};
    whole.digits = x[0].digits;
    whole.integral = true;
    return whole;
  }

  Real Rounded(const ir::Value& value, absl::Span<const Real> x, Effects effects, bool exact, Rounding known) {
    Real result{.number = forms_.Apply(value, Numbers(x)), .effects = std::move(effects)};
    result.digits = PrecisionOf(value.width);
    if (exact || IsZero(result.number.value)) return result;
    const size_t rounding = roundings_.size();
    roundings_.push_back(std::move(known));
    const int finer = ir::FormatOf(unit_bits_).mantissa_bits - ir::FormatOf(value.width).mantissa_bits;
    result.effects.emplace(rounding, Multiply(result.number.value, Fraction::Constant(PowerOfTwo(finer))));
    if (value.primitive == ir::Primitive::kFmul) result.product = rounding;
    return result;
  }

  // Records a value at which the result is discontinuous, scaled so that equal conditions have the same key.
  void Jump(const char* kind, const Fraction& value, const Effects& effects) {
    if (effects.empty()) return;
    const bool by_sign = kind == std::string("sign");
    if (IsZero(value) || !by_sign) {
      jumps_[absl::StrCat(kind, Spell(value))].push_back(effects);
      return;
    }
    const mpq_class lead = value.numerator.terms.begin()->second;
    const Polynomial place = Scale(value.numerator, 1 / lead);
    jumps_[absl::StrCat(kind, Spell(place))].push_back(
        Scaled(effects, Multiply(Fraction::Of(value.denominator), Fraction::Constant(1 / lead))));
  }

  Real Function(const ir::Value& value, absl::Span<const Real> x) {
    const bool halves = value.primitive == ir::Primitive::kFdiv && IsPowerOfTwo(x[1].number.value);
    const bool whole = std::all_of(x.begin(), x.end(), [](const Real& operand) { return operand.integral; });
    Real result = Rounded(value, x, {}, halves, {.certain = !whole});
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k].effects.empty()) continue;
      const std::optional<Fraction> slope = Slope(value, x, result.number.value, k);
      if (!slope.has_value()) {
        unsupported_ = absl::StrCat("no derivative is known for ", std::string(ir::InfoOf(value.primitive).name));
        continue;
      }
      result.effects = Sum(std::move(result.effects), Scaled(x[k].effects, *slope));
    }
    return result;
  }

  Fraction Of(ir::Approximation function, const Real& x) {
    ir::Value value;
    value.primitive = ir::Primitive::kApprox;
    value.immediate = static_cast<uint64_t>(function);
    return forms_.Apply(value, {x.number}).value;
  }

  // Returns the derivative with respect to operand k; `result` is the function's value.
  std::optional<Fraction> Slope(const ir::Value& value, absl::Span<const Real> x, const Fraction& result, size_t k) {
    using ir::Approximation;
    const Fraction& a = x[0].number.value;
    const auto times = [](const Fraction& fraction, const mpq_class& number) {
      return Multiply(fraction, Fraction::Constant(number));
    };
    const Approximation function = value.primitive == ir::Primitive::kFdiv    ? Approximation::kDiv
                                   : value.primitive == ir::Primitive::kFsqrt ? Approximation::kSqrt
                                                                              : Approximation(value.immediate);
    switch (function) {
      case Approximation::kRcp:
        return Negate(Multiply(result, result));
      case Approximation::kDiv: {
        const Fraction inverse = Invert(x[1].number.value);
        return k == 0 ? inverse : Negate(Multiply(result, inverse));
      }
      case Approximation::kSqrt:
        return times(Invert(result), mpq_class(1, 2));
      case Approximation::kRsq:
        return times(Multiply(result, Invert(a)), mpq_class(-1, 2));
      case Approximation::kExp2:
        return times(result, Ln2());
      case Approximation::kLog2:
        return times(Invert(a), 1 / Ln2());
      case Approximation::kPow:
        if (k == 0) return Multiply(Multiply(x[1].number.value, result), Invert(a));
        return times(Multiply(Of(Approximation::kLog2, x[0]), result), Ln2());
      case Approximation::kSin:
        return Of(Approximation::kCos, x[0]);
      case Approximation::kCos:
        return Negate(Of(Approximation::kSin, x[0]));
      case Approximation::kSinTurns:
        return times(Of(Approximation::kCosTurns, x[0]), 2 * Pi());
      case Approximation::kCosTurns:
        return times(Of(Approximation::kSinTurns, x[0]), -2 * Pi());
      case Approximation::kSinHalfTurns:
        return times(Of(Approximation::kCosHalfTurns, x[0]), Pi());
      case Approximation::kCosHalfTurns:
        return times(Of(Approximation::kSinHalfTurns, x[0]), -Pi());
      case Approximation::kSinQuarterTurns:
      case Approximation::kCoarseRcp:
      case Approximation::kCoarseRsq:
        return std::nullopt;
    }
    return std::nullopt;
  }

  const ir::Dag* const dag_;
  NormalForms& forms_;
  CaseWalk& walk_;
  const int unit_bits_;
  const bool is_search_;
  const std::map<size_t, int>* const fused_uses_;
  const bool keeps_products_of_constants_;
  std::vector<Rounding> roundings_;
  std::map<size_t, int> uses_;
  Jumps jumps_;
  std::string unsupported_;
};

// The values of a side in one case, indexed by component.
struct SideReading {
  std::vector<RoundingDomain::Real> numbers;  // effects are empty for Booleans
  std::vector<int> booleans;                  // 0 or 1; -1 for a number
  RoundingDomain::Jumps jumps;
  std::vector<RoundingDomain::Rounding> roundings;
};

class Comparison {
 public:
  Comparison(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs)
      : prepared_(prepared), fusing_(fusing), forms_(positive_inputs) {}

  ErrorGrowth Run() {
    double growth = 0;
    size_t cases = 0;
    do {
      if (++cases > kMostCases) return {{}, absl::StrCat("the comparisons have more than ", kMostCases, " cases")};
      const absl::StatusOr<std::optional<double>> one = GrowthInCase();
      if (!one.ok()) return {{}, std::string(one.status().message())};
      if (!one->has_value()) continue;  // the case cannot occur
      growth = std::max(growth, **one);
      ++occurring_;
    } while (walk_.Next());
    if (occurring_ == 0) return {{}, "no case could be compared"};
    return {growth, ""};
  }

 private:
  absl::StatusOr<SideReading> Read(bool is_search) {
    const auto domain = [&](const std::map<size_t, int>* uses) {
      return RoundingDomain(&prepared_.dag(), &forms_, &walk_, unit_bits_, is_search, uses,
                            fusing_.keeps_products_of_constants);
    };
    RoundingDomain counting = domain(nullptr);
    absl::StatusOr<SideReading> reading = ReadRoots(is_search, &counting);
    if (!reading.ok() || !(is_search ? fusing_.search : fusing_.replace)) return reading;
    RoundingDomain fusing = domain(&counting.uses());
    return ReadRoots(is_search, &fusing);
  }

  absl::StatusOr<SideReading> ReadRoots(bool is_search, RoundingDomain* domain) {
    RealReader<RoundingDomain> reader(&prepared_.dag(), domain);
    const auto& roots = is_search ? prepared_.search().lowered.root : prepared_.replace().lowered.root;
    const auto& others = is_search ? prepared_.replace().lowered.root : prepared_.search().lowered.root;
    SideReading side;
    for (size_t c = 0; c < roots.size(); ++c) {
      side.booleans.push_back(-1);
      side.numbers.emplace_back();
      if (IsTruth(prepared_.dag(), roots[c]) || IsTruth(prepared_.dag(), others[c])) {
        const auto truth = reader.ReadTruth(roots[c]);
        if (!truth.ok()) return truth.status();
        side.booleans.back() = domain->Decide(truth->formula.truth);
      } else {
        auto number = reader.ReadReal(roots[c]);
        if (!number.ok()) return number.status();
        domain->Used(*number);
        side.numbers.back() = *std::move(number);
      }
    }
    if (!domain->unsupported().empty()) return absl::UnimplementedError(domain->unsupported());
    if (forms_.too_large()) return absl::ResourceExhaustedError("polynomials grow too large");
    side.jumps = domain->jumps();
    side.roundings = domain->roundings();
    return side;
  }

  // Returns the growth in the current case, or nullopt if no input satisfies the comparisons of the case.
  absl::StatusOr<std::optional<double>> GrowthInCase() {
    const absl::StatusOr<SideReading> before = Read(true);
    if (!before.ok()) return before.status();
    const absl::StatusOr<SideReading> after = Read(false);
    if (!after.ok()) return after.status();
    if (IsTieOrContradiction()) return std::optional<double>();
    std::optional<double> growth = 0;
    for (size_t c = 0; c < before->numbers.size(); ++c) {
      if (before->booleans[c] < 0 && after->numbers[c].effects.empty()) continue;
      const Fraction& value = before->numbers[c].number.value;
      // The sides are equal over the reals, so if they differ here, no input is in this case.
      const Polynomial difference = DifferenceNumerator(value, after->numbers[c].number.value);
      if (before->booleans[c] != after->booleans[c]) return std::optional<double>();
      if (!difference.IsZero()) {
        if (!IsDefinite(difference)) return absl::UnimplementedError("the sides have no common form");
        return std::optional<double>();
      }
      Effects floor = before->numbers[c].effects;
      if (!IsZero(value)) floor.emplace(kOwnRounding, value);
      const bool rounded =
          std::any_of(before->numbers[c].effects.begin(), before->numbers[c].effects.end(),
                      [&](const auto& one) { return one.second == value && before->roundings[one.first].certain; });
      if (rounded) floor.erase(kOwnRounding);
      growth = Grown(growth, *before, floor, *after, after->numbers[c].effects);
    }
    for (const auto& [place, all] : after->jumps) {
      const auto known = before->jumps.find(place);
      if (known == before->jumps.end())
        return absl::UnimplementedError("the replacement compares a value with a new rounding");
      for (const Effects& effects : all) growth = Grown(growth, *before, known->second.front(), *after, effects);
    }
    if (!growth.has_value())
      return absl::OutOfRangeError("the replacement has an error that the search side does not have");
    return growth;
  }

  // Returns the larger of `growth` and the factor by which the bound of the replacement, `after`, exceeds that of the
  // search side, `before`. Of the search side's roundings, only the certain ones count. A sum that both sides compute
  // adds the same error to both.
  static std::optional<double> Grown(std::optional<double> growth, const SideReading& search, const Effects& before,
                                     const SideReading& replace, const Effects& after) {
    if (!growth.has_value()) return growth;
    std::vector<Fraction> lower, upper;
    std::map<std::string, Fraction> shared;
    for (const auto& [rounding, effect] : before) {
      if (rounding == kOwnRounding || search.roundings[rounding].certain) {
        lower.push_back(effect);
      } else {
        shared.emplace(search.roundings[rounding].key, effect);
      }
    }
    double factor = *growth;
    for (const auto& [rounding, effect] : after) {
      const std::string& key = replace.roundings[rounding].key;
      const auto same = key.empty() ? shared.end() : shared.find(key);
      const std::optional<double> one = same == shared.end() ? std::nullopt : FactorOfBound({same->second}, {effect});
      if (one.has_value()) {
        factor = std::max(factor, *one);
      } else {
        upper.push_back(effect);
      }
    }
    const std::optional<double> rest = FactorOfBound(lower, upper);
    if (!rest.has_value()) return std::nullopt;
    return std::max(factor, *rest);
  }

  // Returns whether the case assumes that some x is neither negative nor positive, or that it is both. In the first
  // case (a tie), the result depends on rounding.
  bool IsTieOrContradiction() {
    return std::any_of(walk_.taken().begin(), walk_.taken().end(), [&](const auto& one) {
      if (one.first >= kFirstFusing || forms_.formulas().at(one.first).kind != FormulaKind::kNegative) return false;
      const Polynomial x = forms_.formulas().at(one.first).polynomial;
      const auto above = walk_.taken().find(forms_.formulas().IsPositive(x));
      return above != walk_.taken().end() && above->second == one.second;
    });
  }

  // Returns whether the atoms of a nonzero polynomial are independent, so that it is nonzero almost everywhere.
  bool IsDefinite(const Polynomial& polynomial) const {
    for (const auto& [condition, truth] : walk_.taken()) {
      const bool stated = condition < kFirstFusing;
      if (stated && truth && forms_.formulas().at(condition).kind == FormulaKind::kZero) return false;
    }
    for (const auto& [monomial, coefficient] : polynomial.terms) {
      for (const auto& [atom, exponent] : monomial) {
        if (forms_.atoms()[atom].kind != AtomKind::kInput) return false;
      }
    }
    return !polynomial.too_large;
  }

  const PreparedCase& prepared_;
  const Fusing fusing_;
  NormalForms forms_;
  CaseWalk walk_;
  // Errors are in units in the last place of this width.
  const int unit_bits_ = ir::IsFloatWidth(prepared_.root_bits()) ? prepared_.root_bits() : 32;
  size_t occurring_ = 0;
};

}  // namespace

ErrorGrowth GrowthOfErrors(const PreparedCase& prepared, Fusing fusing, const std::set<uint32_t>& positive_inputs) {
  return Comparison(prepared, fusing, positive_inputs).Run();
}

}  // namespace rewrought::verifier
