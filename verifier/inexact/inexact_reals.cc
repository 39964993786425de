#include "verifier/inexact/inexact_reals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::verifier {
namespace {

constexpr RealIdentity kIdentities[] = {
    {"rcp", "frcp(x) = 1 / x, fdiv(x, y) = x / y", "the divisor is not 0"},
    {"rsq", "frsq(x) = 1 / fsqrt(x)", "x > 0"},
    {"sqrt-square", "fsqrt(x) * fsqrt(x) = x", "x >= 0"},
    {"sqrt-number", "fsqrt of a rational square is its root", "always"},
    {"pow", "fpow(x, y) = fexp2(y * flog2(x))", "x > 0"},
    {"exp2-sum", "fexp2(x + y) = fexp2(x) * fexp2(y), fexp2(-x) = 1 / fexp2(x), fexp2(n * x) = fexp2(x)^n",
     "n integral"},
    {"exp2-number", "fexp2(n) = 2^n", "n integral"},
    {"exp2-log2", "fexp2(flog2(x)) = x", "x > 0"},
    {"exp2-half-log2", "fexp2(n / 2 * flog2(x)) = fsqrt(x)^n", "x > 0, n odd"},
    {"sqrt-exp2", "fsqrt(fexp2(x)) = fexp2(x / 2)", "always"},
    {"log2-exp2", "flog2(fexp2(x) * y) = x + flog2(y), flog2(fexp2(x)) = x", "y > 0"},
    {"log2-number", "flog2(2^n * x) = n + flog2(x)", "x > 0, n integral"},
    {"log2-sqrt", "flog2(fsqrt(x) * y) = flog2(x) / 2 + flog2(y)", "x > 0, y > 0"},
    {"log2-quotient", "flog2(1 / x) = -flog2(x)", "x > 0"},
    {"log2-product", "flog2(x * y) = flog2(x) + flog2(y)", "x > 0, y > 0, since the search side exists only there"},
    {"sqrt-product", "fsqrt(x * y) = fsqrt(x) * fsqrt(y), fsqrt(x * x) = x",
     "x > 0, y > 0, since the search side exists only there"},
    {"sin-odd", "fsin(-x) = -fsin(x), fsin(0) = 0", "always"},
    {"cos-even", "fcos(-x) = fcos(x), fcos(|x|) = fcos(x), fcos(0) = 1", "always"},
    {"floor-shift", "ffloor(x + n) = ffloor(x) + n", "n integral"},
    {"round-odd", "fround_even(-x) = -fround_even(x), fround_even(n) = n", "n integral"},
};

// The maximum exponent for which a power of two is evaluated to a number.
constexpr long kMaxPowerOfTwo = 256;
// The maximum n for which fexp2(x)^n is a power of an atom.
constexpr long kMaxExp2Multiple = 16;

std::string KeyOf(const RealAtom& atom) {
  std::string key = absl::StrCat(static_cast<int>(atom.kind), ":", atom.input, ":", atom.condition);
  for (const Fraction& operand : atom.operands) absl::StrAppend(&key, ";", Spell(operand));
  return key;
}

mpq_class PowerOfTwo(long exponent) {
  mpq_class power = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<unsigned long>(exponent));
  } else {
    mpq_div_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<unsigned long>(-exponent));
  }
  return power;
}

bool IsInteger(const mpq_class& x) { return x.get_den() == 1; }

mpq_class FloorOf(const mpq_class& x) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  return mpq_class(floor);
}

// Returns whether the first coefficient of `x` is negative. Unless x is 0, this holds for exactly one of x and -x.
bool StartsNegative(const Fraction& x) { return !x.numerator.terms.empty() && x.numerator.terms.begin()->second < 0; }

// Returns the square root, or -1 if it is not rational.
mpq_class ExactRoot(const mpq_class& x) {
  if (x < 0 || !mpz_perfect_square_p(x.get_num_mpz_t()) || !mpz_perfect_square_p(x.get_den_mpz_t())) return -1;
  return mpq_class(sqrt(x.get_num()), sqrt(x.get_den()));
}

}  // namespace

absl::Span<const RealIdentity> RealIdentities() { return kIdentities; }

NormalForms::NormalForms(std::set<uint32_t> positive_inputs)
    : positive_inputs_(std::move(positive_inputs)), formulas_([this](AtomId atom) { return IsPositiveAtom(atom); }) {}

bool NormalForms::IsPositiveAtom(AtomId atom) const {
  const RealAtom& what = atoms_[atom];
  return what.kind == AtomKind::kExp2 ||
         (what.kind == AtomKind::kInput && positive_inputs_.find(what.input) != positive_inputs_.end());
}

bool NormalForms::IsNonnegative(const Polynomial& polynomial) const {
  const auto is_nonnegative = [&](const auto& power) { return power.second % 2 == 0 || IsPositiveAtom(power.first); };
  return !polynomial.too_large && std::all_of(polynomial.terms.begin(), polynomial.terms.end(), [&](const auto& term) {
    return term.second > 0 && std::all_of(term.first.begin(), term.first.end(), is_nonnegative);
  });
}

bool NormalForms::AllPositive(const Monomial& monomial) const {
  return std::all_of(monomial.begin(), monomial.end(), [&](const auto& power) { return IsPositiveAtom(power.first); });
}

std::set<uint32_t> NormalForms::PositiveInputs(FormulaId formula) const {
  std::set<uint32_t> positive;
  const Formula& stated = formulas_.at(formula);
  if (stated.kind == FormulaKind::kAnd) {
    for (const FormulaId operand : stated.operands) {
      if (formulas_.at(operand).kind == FormulaKind::kNegative) positive.merge(PositiveInputs(operand));
    }
  }
  // Match -c * x < 0 for an input x.
  if (stated.kind == FormulaKind::kNegative && stated.polynomial.terms.size() == 1) {
    const auto& [monomial, coefficient] = *stated.polynomial.terms.begin();
    const bool is_atom = monomial.size() == 1 && monomial[0].second == 1 && coefficient < 0;
    if (is_atom && atoms_[monomial[0].first].kind == AtomKind::kInput) positive.insert(atoms_[monomial[0].first].input);
  }
  return positive;
}

Fraction NormalForms::Atom(RealAtom atom) {
  const auto [place, added] = atom_index_.try_emplace(KeyOf(atom), static_cast<AtomId>(atoms_.size()));
  if (added) atoms_.push_back(std::move(atom));
  return Fraction::Of(Polynomial::Atom(place->second));
}

Fraction NormalForms::Use(absl::string_view identity, Fraction value) {
  used_.insert(identity);
  return value;
}

// Applies sqrt-square and records whether the value exceeded its limits.
Fraction NormalForms::Finish(Fraction value) {
  Polynomial numerator = SquareRoots(value.numerator), denominator = SquareRoots(value.denominator);
  if (!(numerator == value.numerator && denominator == value.denominator)) {
    value = Normalized(std::move(numerator), std::move(denominator));
  }
  too_large_ = too_large_ || value.too_large();
  return value;
}

Polynomial NormalForms::SquareRoots(const Polynomial& polynomial) {
  Polynomial sum;
  bool changed = false;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    Polynomial product = Polynomial::Constant(coefficient);
    for (const auto& [atom, exponent] : monomial) {
      const bool reducible = atoms_[atom].kind == AtomKind::kSqrt && atoms_[atom].operands[0].IsPolynomial();
      const uint32_t squares = reducible ? exponent / 2 : 0;
      changed = changed || squares > 0;
      for (uint32_t i = 0; i < squares; ++i) product = Multiply(product, atoms_[atom].operands[0].numerator);
      for (uint32_t i = 2 * squares; i < exponent; ++i) product = Multiply(product, Polynomial::Atom(atom));
    }
    sum = Add(sum, product);
  }
  if (!changed) return polynomial;
  used_.insert("sqrt-square");
  return SquareRoots(sum);
}

FormulaId NormalForms::IsNegative(const Fraction& x) {
  // Where x is defined, its denominator is not 0, so the product has the same sign as the quotient.
  const Polynomial sign = x.IsPolynomial() ? x.numerator : Multiply(x.numerator, x.denominator);
  too_large_ = too_large_ || sign.too_large;
  return formulas_.IsNegative(sign);
}

NormalForms::Real NormalForms::Literal(double value) const { return {Fraction::Constant(mpq_class(value))}; }

NormalForms::Real NormalForms::RealInput(uint32_t input) { return {Atom({AtomKind::kInput, input, {}})}; }

NormalForms::Truth NormalForms::TruthInput(uint32_t input) { return {formulas_.Variable(input)}; }

NormalForms::Truth NormalForms::FromBool(bool value) const { return {value ? kTrueFormula : kFalseFormula}; }

NormalForms::Truth NormalForms::Not(const Truth& x) { return {formulas_.Not(x.truth), x.exists}; }

NormalForms::Truth NormalForms::And(const Truth& x, const Truth& y) {
  const FormulaId truth = formulas_.And({x.truth, y.truth});
  if (x.exists == kTrueFormula && y.exists == kTrueFormula) return {truth};
  // A single false operand decides the conjunction.
  const FormulaId x_decides = formulas_.And({x.exists, formulas_.Not(x.truth)});
  const FormulaId y_decides = formulas_.And({y.exists, formulas_.Not(y.truth)});
  return {truth, formulas_.Or(formulas_.And({x.exists, y.exists}), formulas_.Or(x_decides, y_decides))};
}

NormalForms::Truth NormalForms::Compare(ir::Primitive comparison, const Real& x, const Real& y) {
  const FormulaId exists = formulas_.And({x.exists, y.exists});
  if (comparison == ir::Primitive::kFeq) {
    const Polynomial difference = SquareRoots(DifferenceNumerator(x.value, y.value));
    too_large_ = too_large_ || difference.too_large;
    return {formulas_.IsZero(difference), exists};
  }
  const Fraction difference = Sum(x.value, Negate(y.value));
  if (comparison == ir::Primitive::kFlt) return {IsNegative(difference), exists};
  return {formulas_.Not(IsPositive(difference)), exists};
}

NormalForms::Truth NormalForms::SelectTruth(const Truth& condition, const Truth& then, const Truth& otherwise) {
  const FormulaId exists = formulas_.Choose(condition.truth, then.exists, otherwise.exists);
  return {formulas_.Choose(condition.truth, then.truth, otherwise.truth), formulas_.And({condition.exists, exists})};
}

NormalForms::Real NormalForms::Select(const Truth& condition, const Real& then, const Real& otherwise) {
  const FormulaId exists = formulas_.Choose(condition.truth, then.exists, otherwise.exists);
  return {Choose(condition.truth, then.value, otherwise.value), formulas_.And({condition.exists, exists})};
}

NormalForms::Real NormalForms::CopySign(double magnitude, const Real& x) {
  const Fraction positive = Fraction::Constant(mpq_class(magnitude));
  // Over the reals, a zero has no sign.
  const FormulaId not_zero = formulas_.Not(formulas_.IsZero(x.value.numerator));
  return {Choose(IsNegative(x.value), Negate(positive), positive), formulas_.And({x.exists, not_zero})};
}

Fraction NormalForms::Choose(FormulaId condition, const Fraction& then, const Fraction& otherwise) {
  if (condition == kTrueFormula || then == otherwise) return then;
  if (condition == kFalseFormula) return otherwise;
  if (formulas_.at(condition).kind == FormulaKind::kNot) {
    return Choose(formulas_.at(condition).operands[0], otherwise, then);
  }
  return Atom({AtomKind::kSelect, 0, {then, otherwise}, condition});
}

Fraction NormalForms::Minimum(const Fraction& x, const Fraction& y) {
  const FormulaId below = IsNegative(Sum(x, Negate(y)));
  if (below == kTrueFormula || x == y) return x;
  if (below == kFalseFormula) return y;
  const bool ordered = Spell(x) < Spell(y);
  return Atom({AtomKind::kMinimum, 0, {ordered ? x : y, ordered ? y : x}});
}

Fraction NormalForms::Maximum(const Fraction& x, const Fraction& y) { return Negate(Minimum(Negate(x), Negate(y))); }

bool NormalForms::IsIntegral(const Monomial& monomial) const {
  return std::all_of(monomial.begin(), monomial.end(), [&](const auto& power) {
    const AtomKind kind = atoms_[power.first].kind;
    return kind == AtomKind::kFloor || kind == AtomKind::kRoundEven;
  });
}

Fraction NormalForms::Floor(const Fraction& x) {
  if (!x.IsPolynomial()) return Atom({AtomKind::kFloor, 0, {x}});
  Polynomial whole, rest;
  for (const auto& [monomial, coefficient] : x.numerator.terms) {
    const mpq_class floor = monomial.empty() ? FloorOf(coefficient) : coefficient;
    if (IsIntegral(monomial) && IsInteger(floor)) {
      if (floor != 0) whole.terms.emplace(monomial, floor);
      if (coefficient != floor) rest.terms.emplace(monomial, coefficient - floor);
    } else {
      rest.terms.emplace(monomial, coefficient);
    }
  }
  if (!whole.IsZero()) used_.insert("floor-shift");
  if (rest.IsConstant()) return Fraction::Of(whole);  // because 0 <= rest < 1
  return Sum(Fraction::Of(whole), Atom({AtomKind::kFloor, 0, {Fraction::Of(rest)}}));
}

Fraction NormalForms::Ceiling(const Fraction& x) { return Negate(Floor(Negate(x))); }

Fraction NormalForms::RoundEven(const Fraction& x) {
  if (x.IsPolynomial()) {
    const auto& terms = x.numerator.terms;
    if (std::all_of(terms.begin(), terms.end(),
                    [&](const auto& term) { return IsIntegral(term.first) && IsInteger(term.second); })) {
      return Use("round-odd", x);
    }
  }
  if (StartsNegative(x)) return Use("round-odd", Negate(RoundEven(Negate(x))));
  return Atom({AtomKind::kRoundEven, 0, {x}});
}

Fraction NormalForms::Exp2OfTerm(const Monomial& monomial, const mpq_class& coefficient) {
  if (monomial.empty() && IsInteger(coefficient) && abs(coefficient) <= kMaxPowerOfTwo) {
    return Use("exp2-number", Fraction::Constant(PowerOfTwo(coefficient.get_num().get_si())));
  }
  const bool log_alone =
      monomial.size() == 1 && monomial[0].second == 1 && atoms_[monomial[0].first].kind == AtomKind::kLog2;
  if (log_alone && coefficient.get_den() == 2 && abs(coefficient) <= kMaxExp2Multiple) {
    const Fraction root = Sqrt(Fraction(atoms_[monomial[0].first].operands[0]));
    Fraction product = Fraction::Constant(1);
    for (mpz_class i = abs(coefficient.get_num()); i > 0; --i) product = Product(product, root);
    return Use("exp2-half-log2", coefficient < 0 ? Invert(product) : product);
  }
  // 2^(n * log2(y)) is y^n; 2^(n * m) is (2^m)^n.
  const bool whole = IsInteger(coefficient) && abs(coefficient) <= kMaxExp2Multiple && !monomial.empty();
  const long power = whole ? coefficient.get_num().get_si() : (coefficient < 0 ? -1 : 1);
  Polynomial unit;
  unit.terms.emplace(monomial, whole ? mpq_class(1) : mpq_class(abs(coefficient)));
  const bool is_log = whole && log_alone;
  const Fraction base = is_log ? Use("exp2-log2", atoms_[monomial[0].first].operands[0])
                               : Atom({AtomKind::kExp2, 0, {Fraction::Of(unit)}});
  Fraction product = Fraction::Constant(1);
  for (long i = 0; i < std::abs(power); ++i) product = Product(product, base);
  return power < 0 ? Use("exp2-sum", Invert(product)) : product;
}

Fraction NormalForms::Exp2(const Fraction& x) {
  if (!x.IsPolynomial()) return Atom({AtomKind::kExp2, 0, {x}});
  if (x.numerator.terms.size() > 1) used_.insert("exp2-sum");
  Fraction product = Fraction::Constant(1);
  for (const auto& [monomial, coefficient] : x.numerator.terms) {
    if (monomial.empty()) {
      const mpq_class whole = FloorOf(coefficient);
      product = Product(product, Exp2OfTerm(monomial, whole));
      if (coefficient != whole) product = Product(product, Exp2OfTerm(monomial, coefficient - whole));
    } else {
      product = Product(product, Exp2OfTerm(monomial, coefficient));
    }
  }
  return product;
}

// Returns the logarithm of a polynomial that is positive wherever the logarithm is defined. Splits off factors that are
// always positive.
Fraction NormalForms::Log2OfPolynomial(const Polynomial& x) {
  const auto opaque = [&](const Polynomial& rest) { return Atom({AtomKind::kLog2, 0, {Fraction::Of(rest)}}); };
  if (x.terms.size() != 1) return opaque(x);
  auto [monomial, coefficient] = *x.terms.begin();
  Fraction sum = Fraction::Constant(0);
  Monomial rest;
  for (const auto& [atom, exponent] : monomial) {
    const RealAtom split = atoms_[atom];
    if (split.kind == AtomKind::kExp2) {
      sum = Use("log2-exp2", Sum(sum, Multiply(split.operands[0], Fraction::Constant(exponent))));
    } else if (split.kind == AtomKind::kSqrt) {
      sum = Use("log2-sqrt", Sum(sum, Multiply(Log2(split.operands[0]), Fraction::Constant(mpq_class(exponent) / 2))));
    } else {
      rest.emplace_back(atom, exponent);
    }
  }
  // Split off the coefficient's power of two.
  const long twos = static_cast<long>(mpz_scan1(coefficient.get_num_mpz_t(), 0)) -
                    static_cast<long>(mpz_scan1(coefficient.get_den_mpz_t(), 0));
  if (twos != 0) {
    sum = Use("log2-number", Sum(sum, Fraction::Constant(twos)));
    coefficient /= PowerOfTwo(twos);
  }
  if (rest.empty() && coefficient == 1) return sum;
  const bool is_product = rest.size() > 1 || (rest.size() == 1 && (rest[0].second > 1 || coefficient != 1));
  if (is_product && coefficient > 0 && AllPositive(rest)) {
    for (const auto& [atom, exponent] : rest) {
      sum = Sum(sum, Multiply(opaque(Polynomial::Atom(atom)), Fraction::Constant(exponent)));
    }
    return Use("log2-product", coefficient == 1 ? sum : Sum(sum, opaque(Polynomial::Constant(coefficient))));
  }
  Polynomial left;
  left.terms.emplace(rest, coefficient);
  return Sum(sum, opaque(left));
}

Fraction NormalForms::Log2(const Fraction& x) {
  if (x.IsPolynomial()) return x.numerator.IsZero() ? Fraction::Constant(0) : Log2OfPolynomial(x.numerator);
  if (x.numerator.IsConstant() && x.numerator.value() > 0) {
    const Polynomial inverse = Scale(x.denominator, 1 / x.numerator.value());
    return Use("log2-quotient", Negate(Log2OfPolynomial(inverse)));
  }
  const auto is_positive = [&](const Polynomial& side) {
    return side.terms.size() == 1 && side.terms.begin()->second > 0 && AllPositive(side.terms.begin()->first);
  };
  if (is_positive(x.numerator) && is_positive(x.denominator)) {
    return Use("log2-product", Sum(Log2OfPolynomial(x.numerator), Negate(Log2OfPolynomial(x.denominator))));
  }
  return Atom({AtomKind::kLog2, 0, {x}});
}

Fraction NormalForms::Sqrt(const Fraction& x) {
  if (x.IsConstant()) {
    const mpq_class root = ExactRoot(x.value());
    if (root >= 0) return Use("sqrt-number", Fraction::Constant(root));
  }
  if (x.IsPolynomial() && x.numerator.terms.size() == 1) {
    const auto& [monomial, coefficient] = *x.numerator.terms.begin();
    const bool is_exp2 = coefficient == 1 && monomial.size() == 1 && atoms_[monomial[0].first].kind == AtomKind::kExp2;
    if (is_exp2) {
      const Fraction half = Fraction::Constant(mpq_class(monomial[0].second) / 2);
      return Use("sqrt-exp2", Exp2(Multiply(atoms_[monomial[0].first].operands[0], half)));
    }
    const bool is_product =
        monomial.size() > 1 || (monomial.size() == 1 && (monomial[0].second > 1 || coefficient != 1));
    if (is_product && coefficient > 0 && AllPositive(monomial)) {
      Fraction product = coefficient == 1 ? Fraction::Constant(1) : Sqrt(Fraction::Constant(coefficient));
      for (const auto& [atom, exponent] : std::vector<std::pair<AtomId, uint32_t>>(monomial)) {
        const Fraction root = Sqrt(Fraction::Of(Polynomial::Atom(atom)));
        for (uint32_t i = 0; i < exponent / 2; ++i) product = Product(product, Fraction::Of(Polynomial::Atom(atom)));
        if (exponent % 2 != 0) product = Product(product, root);
      }
      return Use("sqrt-product", product);
    }
  }
  return Atom({AtomKind::kSqrt, 0, {x}});
}

Fraction NormalForms::Sine(const Fraction& x, uint32_t unit) {
  if (x.numerator.IsZero()) return Use("sin-odd", Fraction::Constant(0));
  if (StartsNegative(x)) return Use("sin-odd", Negate(Sine(Negate(x), unit)));
  return Atom({AtomKind::kSin, unit, {x}});
}

Fraction NormalForms::Cosine(const Fraction& x, uint32_t unit) {
  if (x.numerator.IsZero()) return Use("cos-even", Fraction::Constant(1));
  if (StartsNegative(x)) return Use("cos-even", Cosine(Negate(x), unit));
  // min(y, -y) is y or -y, and cosine is even.
  if (x.IsPolynomial() && x.numerator.terms.size() == 1 && x.numerator.terms.begin()->second == 1) {
    const Monomial& monomial = x.numerator.terms.begin()->first;
    if (monomial.size() == 1 && monomial[0].second == 1 && atoms_[monomial[0].first].kind == AtomKind::kMinimum) {
      const std::vector<Fraction> operands = atoms_[monomial[0].first].operands;
      if (operands[0] == Negate(operands[1])) return Use("cos-even", Cosine(operands[0], unit));
    }
  }
  return Atom({AtomKind::kCos, unit, {x}});
}

NormalForms::Real NormalForms::ApplyApproximation(ir::Approximation function, absl::Span<const Real> x) {
  const FormulaId exists = x.size() > 1 ? formulas_.And({x[0].exists, x[1].exists}) : x[0].exists;
  const Fraction& a = x[0].value;
  const auto unless_zero = [&](const Fraction& divisor) {
    return formulas_.And({exists, formulas_.Not(formulas_.IsZero(divisor.numerator))});
  };
  switch (function) {
    case ir::Approximation::kRcp:
      return {Use("rcp", Finish(Invert(a))), unless_zero(a)};
    case ir::Approximation::kDiv:
      return {Use("rcp", Product(a, Invert(x[1].value))), unless_zero(x[1].value)};
    case ir::Approximation::kSqrt:
      return {Sqrt(a), formulas_.And({exists, formulas_.Not(IsNegative(a))})};
    case ir::Approximation::kRsq:
      return {Use("rsq", Finish(Invert(Sqrt(a)))), formulas_.And({exists, IsPositive(a)})};
    case ir::Approximation::kExp2:
      return {Exp2(a), exists};
    case ir::Approximation::kLog2:
      return {Log2(a), formulas_.And({exists, IsPositive(a)})};
    case ir::Approximation::kPow:
      return {Use("pow", Exp2(Product(x[1].value, Log2(a)))), formulas_.And({exists, IsPositive(a)})};
    case ir::Approximation::kSin:
      return {Sine(a, 0), exists};
    case ir::Approximation::kCos:
      return {Cosine(a, 0), exists};
    case ir::Approximation::kSinTurns:
      return {Sine(a, 1), exists};
    case ir::Approximation::kCosTurns:
      return {Cosine(a, 1), exists};
    case ir::Approximation::kSinHalfTurns:
      return {Sine(a, 2), exists};
    case ir::Approximation::kCosHalfTurns:
      return {Cosine(a, 2), exists};
    case ir::Approximation::kSinQuarterTurns:
      return {Sine(a, 4), exists};
    case ir::Approximation::kCoarseRcp:
    case ir::Approximation::kCoarseRsq:
      return {a, kFalseFormula};
  }
  return {};
}

NormalForms::Real NormalForms::Apply(const ir::Value& value, absl::Span<const Real> x) {
  using ir::Primitive;
  std::vector<FormulaId> all;
  for (const Real& operand : x) all.push_back(operand.exists);
  const FormulaId exists = formulas_.And(all);
  const Fraction& a = x[0].value;
  switch (value.primitive) {
    case Primitive::kFadd:
      return {Sum(a, x[1].value), exists};
    case Primitive::kFmul:
      return {Product(a, x[1].value), exists};
    case Primitive::kFfma:
      return {Sum(Product(a, x[1].value), x[2].value), exists};
    case Primitive::kFdiv:
      return ApplyApproximation(ir::Approximation::kDiv, x);
    case Primitive::kFsqrt:
      return ApplyApproximation(ir::Approximation::kSqrt, x);
    case Primitive::kFfloor:
      return {Floor(a), exists};
    case Primitive::kFceil:
      return {Ceiling(a), exists};
    case Primitive::kFtrunc:
      return {Choose(IsNegative(a), Ceiling(a), Floor(a)), exists};
    case Primitive::kFroundeven:
      return {RoundEven(a), exists};
    case Primitive::kFmin:
      return {Minimum(a, x[1].value), exists};
    case Primitive::kFmax:
      return {Maximum(a, x[1].value), exists};
    case Primitive::kFneg:
      return {Negate(a), exists};
    case Primitive::kFabs:
      return {Maximum(a, Negate(a)), exists};
    case Primitive::kApprox:
      return ApplyApproximation(static_cast<ir::Approximation>(value.immediate), x);
    default:  // kF2f, which is the identity over the reals
      return {a, exists};
  }
}

}  // namespace rewrought::verifier
