#include "verifier/inexact/rounding_domain.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

// ln 2 and pi with more digits than a double has; both sides use the same values.
const mpq_class& Ln2() {
  static const mpq_class value("693147180559945309417/1000000000000000000000");
  return value;
}
const mpq_class& Pi() {
  static const mpq_class value("3141592653589793238463/1000000000000000000000");
  return value;
}

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

}  // namespace

bool CaseWalk::Take(FormulaId condition) {
  const auto found = taken_.find(condition);
  if (found != taken_.end()) return found->second;
  order_.push_back(condition);
  return taken_[condition] = false;
}

bool CaseWalk::Next() {
  while (!order_.empty() && taken_[order_.back()]) {
    taken_.erase(order_.back());
    order_.pop_back();
  }
  if (order_.empty()) return false;
  return taken_[order_.back()] = true;
}

void Computations::SetRounding(size_t number, const Fraction& value, bool exact_operands, bool certain) {
  const mpq_class lead = value.numerator.terms.begin()->second;
  const Fraction up_to_sign = lead < 0 ? Negate(value) : value;
  roundings_[number] = {Spell(up_to_sign), exact_operands, certain};
}

RoundingDomain::Real RoundingDomain::Literal(double value) {
  Real literal{.number = forms_.Literal(value)};
  literal.digits = DigitsOf(literal.number.value);
  literal.constant = true;
  literal.computation = computations_.Number(absl::StrCat("literal ", Spell(forms_.Literal(std::fabs(value)).value)));
  literal.negated = value < 0;
  return literal;
}

RoundingDomain::Real RoundingDomain::RealInput(uint32_t input) {
  Real variable{.number = forms_.RealInput(input)};
  variable.computation = computations_.Number(absl::StrCat("input ", input));
  variable.digits = PrecisionOf(dag_->inputs()[input].width);
  variable.constant = side_.constants != nullptr && side_.constants->contains(input);
  return variable;
}

RoundingDomain::Truth RoundingDomain::SelectTruth(const Truth& condition, const Truth& x, const Truth& y) {
  return {forms_.SelectTruth(condition.formula, x.formula, y.formula)};
}

RoundingDomain::Real RoundingDomain::Select(const Truth& condition, const Real& x, const Real& y) {
  Used(x), Used(y);  // a product is rounded even for the branch that is not taken
  return Plain(Decide(condition.formula.truth) ? x : y);
}

RoundingDomain::Truth RoundingDomain::Compare(ir::Primitive comparison, const Real& x, const Real& y) {
  Used(x), Used(y);
  Jump("sign", Difference(x, y), Sum(x.effects, Negated(y.effects)));
  return {forms_.Compare(comparison, x.number, y.number)};
}

RoundingDomain::Real RoundingDomain::CopySign(double magnitude, const Real& x) {
  Jump("sign", Used(x).number.value, x.effects);
  return Literal(Below(x, Literal(0)) ? -magnitude : magnitude);
}

RoundingDomain::Real RoundingDomain::Apply(const ir::Value& value, absl::Span<const Real> x) {
  Real result = Applied(value, x);
  result.constant |= std::all_of(x.begin(), x.end(), [](const Real& operand) { return operand.constant; });
  return result;
}

RoundingDomain::Real RoundingDomain::Applied(const ir::Value& value, absl::Span<const Real> x) {
  using ir::Primitive;
  if (value.primitive == Primitive::kFneg) return NegatedReal(x[0]);
  if (value.primitive == Primitive::kFabs) {
    Real magnitude = Below(x[0], Literal(0)) ? NegatedReal(x[0]) : x[0];
    magnitude.through_abs = true;
    return magnitude;
  }
  for (const Real& operand : x) Used(operand);
  switch (value.primitive) {
    case Primitive::kFadd:
      return Added(value, x);
    case Primitive::kFmul:
      return Product(value, x);
    case Primitive::kFfma: {
      const bool exact = IsExactZero(x[0]) || IsExactZero(x[1]);
      const bool varied = HaveSameSign(Multiply(x[0].number.value, x[1].number.value), x[2].number.value) &&
                          std::all_of(x.begin(), x.end(), IsVaried);
      Real sum = Rounded(value, x, Sum(ProductEffects(x), x[2].effects), exact,
                         FusedSum(value, ProductOf(value, x), x[2]), varied);
      sum.coarse = !varied || std::max(x[0].digits + x[1].digits, x[2].digits) < PrecisionOf(value.width);
      return sum;
    }
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

const RoundingDomain::Real& RoundingDomain::Used(const Real& x) {
  if (x.product.has_value()) ++uses_[*x.product];
  return x;
}

bool RoundingDomain::Decide(FormulaId formula) {
  const Formula stated = forms_.formulas().at(formula);
  switch (stated.kind) {
    case FormulaKind::kFalse:
      return false;
    case FormulaKind::kTrue:
      return true;
    case FormulaKind::kNot:
      return !Decide(stated.operands[0]);
    case FormulaKind::kAnd:
      return std::all_of(stated.operands.begin(), stated.operands.end(), [&](FormulaId part) { return Decide(part); });
    case FormulaKind::kNegative:
    case FormulaKind::kZero:
    case FormulaKind::kVariable:
      return walk_.Take(formula);
  }
  return false;
}

Effects RoundingDomain::Scaled(const Effects& effects, const Fraction& factor) {
  Effects scaled;
  for (const auto& [rounding, effect] : effects) {
    if (Fraction product = Multiply(effect, factor); !IsZero(product)) scaled.emplace(rounding, std::move(product));
  }
  return scaled;
}

Effects RoundingDomain::Sum(Effects x, const Effects& y) {
  for (const auto& [rounding, effect] : y) {
    const auto [place, added] = x.try_emplace(rounding, effect);
    if (!added) place->second = Add(place->second, effect);
    if (IsZero(place->second)) x.erase(place);
  }
  return x;
}

Effects RoundingDomain::ProductEffects(absl::Span<const Real> x) {
  return Sum(Scaled(x[0].effects, x[1].number.value), Scaled(x[1].effects, x[0].number.value));
}

std::vector<NormalForms::Real> RoundingDomain::Numbers(absl::Span<const Real> x) {
  std::vector<NormalForms::Real> numbers;
  for (const Real& one : x) numbers.push_back(one.number);
  return numbers;
}

RoundingDomain::Real RoundingDomain::Plain(Real x) {
  x.product.reset();
  return x;
}

RoundingDomain::Real RoundingDomain::NegatedReal(Real x) {
  x.number.value = Negate(x.number.value);
  x.effects = Negated(x.effects);
  x.negated = !x.negated;
  return x;
}

bool RoundingDomain::IsExactZero(const Real& x) { return IsZero(x.number.value) && x.effects.empty(); }

bool RoundingDomain::IsScale(const Real& x) { return IsPowerOfTwo(x.number.value) && x.effects.empty(); }

bool RoundingDomain::Below(const Real& x, const Real& y) {
  return Decide(forms_.Compare(ir::Primitive::kFlt, x.number, y.number).truth);
}

std::string RoundingDomain::NameOf(const ir::Value& value) {
  return absl::StrCat(ir::InfoOf(value.primitive).name, ":", value.immediate, ":", value.width);
}

RoundingDomain::Computed RoundingDomain::ProductOf(const ir::Value& value, absl::Span<const Real> x) {
  const auto [low, high] = std::minmax(x[0].computation, x[1].computation);
  const size_t number = computations_.Number(absl::StrCat("product", value.width, " ", low, " ", high));
  return {number, x[0].negated != x[1].negated};
}

// The order of operands does not affect a sum, and the sum of opposite operands is the opposite sum.
RoundingDomain::Computed RoundingDomain::SumOf(const std::string& name, Computed x, Computed y) {
  if (y.number < x.number) std::swap(x, y);
  const bool negated = x.negated;
  if (negated) x.negated = !x.negated, y.negated = !y.negated;
  return {computations_.Number(absl::StrCat(name, " ", Signed(x), " ", Signed(y))), negated};
}

RoundingDomain::Computed RoundingDomain::FusedSum(const ir::Value& value, const Computed& product, const Real& addend) {
  return SumOf(absl::StrCat("fused", value.width), product, Of(addend));
}

RoundingDomain::Computed RoundingDomain::FunctionOf(const ir::Value& value, absl::Span<const Real> x) {
  std::string text = NameOf(value);
  for (const Real& operand : x) absl::StrAppend(&text, " ", Signed(Of(operand)));
  return {computations_.Number(text)};
}

bool RoundingDomain::IsFused(const Real& x, const Real& addend) {
  if (side_.uses == nullptr || !x.product.has_value()) return false;
  const auto uses = side_.uses->find(*x.product);
  const bool has_one_use = uses != side_.uses->end() && uses->second == 1;
  const bool may_be_kept = side_.keeps_products_of_constants && x.product_of_constant && addend.constant;
  const bool is_certain = !may_be_kept && !x.product_of_constants && !x.through_abs && !side_.has_inner_products;
  if (has_one_use && is_certain) return true;
  return Either(absl::StrCat("fuse ", *x.product, " ", Signed(Of(addend)), has_one_use ? " once" : " shared",
                             x.through_abs ? " abs" : "", side_.has_inner_products ? SideName() : ""));
}

bool RoundingDomain::Either(const std::string& condition) {
  return walk_.Take(kFirstFusing + static_cast<FormulaId>(computations_.Number(condition)));
}

RoundingDomain::Real RoundingDomain::Added(const ir::Value& value, absl::Span<const Real> x) {
  Effects left = x[0].effects, right = x[1].effects;
  bool fuses_left = IsFused(x[0], x[1]), fuses_right = IsFused(x[1], x[0]);
  if (fuses_left && fuses_right) {
    const auto [low, high] = std::minmax(*x[0].product, *x[1].product);
    fuses_left = Either(absl::StrCat("fuse first ", low, " ", high, SideName()));
    fuses_right = !fuses_left;
  }
  if (fuses_left) left.erase(*x[0].product);
  if (fuses_right) right.erase(*x[1].product);
  const bool doubles =
      !fuses_left && !fuses_right && x[0].computation == x[1].computation && x[0].negated == x[1].negated;
  const bool exact = IsExactZero(x[0]) || IsExactZero(x[1]) || doubles;
  const Computed computed = fuses_left    ? FusedSum(value, FactorsOf(x[0]), x[1])
                            : fuses_right ? FusedSum(value, FactorsOf(x[1]), x[0])
                                          : SumOf(NameOf(value), Of(x[0]), Of(x[1]));
  // A sum may have few significant digits if it cancels, as a - floor(a) does. If one operand is a constant, the sum
  // may be equal to it for many values of the other operand, as 1 + a a is.
  const bool varied = HaveSameSign(x[0].number.value, x[1].number.value) && std::all_of(x.begin(), x.end(), IsVaried);
  const bool certain = varied && ((fuses_left && x[0].varied_product) || (fuses_right && x[1].varied_product));
  Real sum = Rounded(value, x, Sum(std::move(left), right), exact, computed, certain);
  sum.coarse = !varied || std::max(x[0].digits, x[1].digits) < PrecisionOf(value.width);
  return sum;
}

bool RoundingDomain::HaveSameSign(const Fraction& x, const Fraction& y) const {
  const Fraction product = Multiply(x, y);
  return forms_.IsNonnegative(Multiply(product.numerator, product.denominator));
}

RoundingDomain::Real RoundingDomain::Product(const ir::Value& value, absl::Span<const Real> x) {
  const int digits = x[0].digits + x[1].digits;
  const bool exact = IsScale(x[0]) || IsScale(x[1]) || digits <= PrecisionOf(value.width);
  const Computed computed = ProductOf(value, x);
  const bool varied = IsVaried(x[0]) && IsVaried(x[1]);
  Real product = Rounded(value, x, ProductEffects(x), exact, computed, varied);
  product.varied_product = varied;
  product.coarse = x[0].coarse || x[1].coarse || digits <= PrecisionOf(value.width);  // may be 0, such as floor(a) b
  product.digits = std::min(digits, PrecisionOf(value.width));
  product.product_of_constant = x[0].constant || x[1].constant;
  product.product_of_constants = x[0].constant && x[1].constant;
  product.product = computed.number;  // a driver may fuse an exact product, and then round another one
  return product;
}

RoundingDomain::Real RoundingDomain::Converted(const ir::Value& value, absl::Span<const Real> x) {
  const bool exact = value.width >= dag_->OperandWidth(value) || x[0].digits <= PrecisionOf(value.width);
  Real converted = Rounded(value, x, x[0].effects, exact, FunctionOf(value, x), IsVaried(x[0]));
  converted.coarse = x[0].coarse;
  converted.digits = std::min(x[0].digits, PrecisionOf(value.width));
  return converted;
}

RoundingDomain::Real RoundingDomain::Whole(const ir::Value& value, absl::Span<const Real> x) {
  Real whole{.number = forms_.Apply(value, Numbers(x))};
  whole.digits = x[0].digits;
  whole.coarse = true;
  whole.computation = FunctionOf(value, x).number;
  return whole;
}

RoundingDomain::Real RoundingDomain::Rounded(const ir::Value& value, absl::Span<const Real> x, Effects effects,
                                             bool exact, const Computed& computed, bool certain) {
  Real result{.number = forms_.Apply(value, Numbers(x)), .effects = std::move(effects)};
  result.digits = PrecisionOf(value.width);
  result.computation = computed.number, result.negated = computed.negated;
  if (exact || IsZero(result.number.value)) return result;
  const int finer = ir::FormatOf(unit_bits_).mantissa_bits - ir::FormatOf(value.width).mantissa_bits;
  // A constant result, such as that of x / x, may be exactly a float.
  certain = certain && !result.number.value.IsConstant();
  computations_.SetRounding(computed.number, result.number.value, result.effects.empty(), certain);
  const Fraction own = Multiply(result.number.value, Fraction::Constant(PowerOfTwo(finer)));
  result.effects = Sum(std::move(result.effects), {{computed.number, own}});
  return result;
}

void RoundingDomain::Jump(const char* kind, const Fraction& value, const Effects& effects) {
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

bool RoundingDomain::HasManyDigits(const ir::Value& value) {
  if (value.primitive == ir::Primitive::kFsqrt) return true;
  const auto function = ir::Approximation(value.immediate);
  return value.primitive == ir::Primitive::kApprox &&
         (function == ir::Approximation::kRcp || function == ir::Approximation::kSqrt ||
          function == ir::Approximation::kRsq || function == ir::Approximation::kLog2);
}

RoundingDomain::Real RoundingDomain::Function(const ir::Value& value, absl::Span<const Real> x) {
  const bool halves = value.primitive == ir::Primitive::kFdiv && IsScale(x[1]);
  const bool divides =
      value.primitive == ir::Primitive::kFdiv ||
      (value.primitive == ir::Primitive::kApprox && ir::Approximation(value.immediate) == ir::Approximation::kDiv);
  // A computed dividend may be a multiple of the divisor, as in a c / a, and a power may have the exponent 1.
  const auto quotient_varies = [&] {
    const bool plain = x[0].constant || (x[0].effects.empty() && x[1].effects.empty());
    return IsVaried(x[1]) && !x[0].coarse && plain;
  };
  const bool all_varied = std::all_of(x.begin(), x.end(), IsVaried);
  // Near 0, exp2 and cos are 1, sin is almost its operand, and a power is 1 if its exponent is near 0.
  const bool flat = !divides && !HasManyDigits(value);
  const bool certain = divides ? quotient_varies() : all_varied && !flat;
  Real result = Rounded(value, x, {}, halves, FunctionOf(value, x), certain);
  result.coarse = flat || std::any_of(x.begin(), x.end(), [](const Real& operand) { return operand.coarse; });
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

Fraction RoundingDomain::ValueOf(ir::Approximation function, const Real& x) {
  ir::Value value;
  value.primitive = ir::Primitive::kApprox;
  value.immediate = static_cast<uint64_t>(function);
  return forms_.Apply(value, {x.number}).value;
}

std::optional<Fraction> RoundingDomain::Slope(const ir::Value& value, absl::Span<const Real> x, const Fraction& result,
                                              size_t k) {
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
      return times(Multiply(ValueOf(Approximation::kLog2, x[0]), result), Ln2());
    case Approximation::kSin:
      return ValueOf(Approximation::kCos, x[0]);
    case Approximation::kCos:
      return Negate(ValueOf(Approximation::kSin, x[0]));
    case Approximation::kSinTurns:
      return times(ValueOf(Approximation::kCosTurns, x[0]), 2 * Pi());
    case Approximation::kCosTurns:
      return times(ValueOf(Approximation::kSinTurns, x[0]), -2 * Pi());
    case Approximation::kSinHalfTurns:
      return times(ValueOf(Approximation::kCosHalfTurns, x[0]), Pi());
    case Approximation::kCosHalfTurns:
      return times(ValueOf(Approximation::kSinHalfTurns, x[0]), -Pi());
    case Approximation::kSinQuarterTurns:
    case Approximation::kCoarseRcp:
    case Approximation::kCoarseRsq:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rewrought::verifier
