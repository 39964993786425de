#include "verifier/inexact/inexact_polynomial.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rewrought::verifier {
namespace {

Polynomial TooLarge() {
  Polynomial polynomial;
  polynomial.too_large = true;
  return polynomial;
}

size_t BitsOf(const mpq_class& value) {
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
}

void AddTerm(const Monomial& monomial, const mpq_class& coefficient, Polynomial* sum) {
  const auto [place, added] = sum->terms.try_emplace(monomial, coefficient);
  if (!added) place->second += coefficient;
  if (place->second == 0) {
    sum->terms.erase(place);
  } else if (BitsOf(place->second) > kMaxCoefficientBits) {
    sum->too_large = true;
  }
}

// Reduces `common` to the largest monomial that divides it and all terms of `polynomial`.
void KeepCommon(const Polynomial& polynomial, Monomial* common) {
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    Monomial kept;
    for (const auto& [atom, exponent] : *common) {
      for (const auto& [other, other_exponent] : monomial) {
        if (other == atom) kept.emplace_back(atom, std::min(exponent, other_exponent));
      }
    }
    *common = std::move(kept);
    if (common->empty()) return;
  }
}

Polynomial DivideBy(const Polynomial& polynomial, const Monomial& divisor) {
  Polynomial quotient;
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    Monomial rest;
    for (const auto& [atom, exponent] : monomial) {
      uint32_t left = exponent;
      for (const auto& [other, other_exponent] : divisor) {
        if (other == atom) left -= other_exponent;
      }
      if (left > 0) rest.emplace_back(atom, left);
    }
    quotient.terms.emplace(std::move(rest), coefficient);
  }
  return quotient;
}

// Returns the number k with x = k * y, or 0 if there is none.
mpq_class Ratio(const Polynomial& x, const Polynomial& y) {
  if (x.terms.size() != y.terms.size() || x.terms.empty()) return 0;
  const mpq_class ratio = x.terms.begin()->second / y.terms.begin()->second;
  for (auto left = x.terms.begin(), right = y.terms.begin(); left != x.terms.end(); ++left, ++right) {
    if (left->first != right->first || left->second != ratio * right->second) return 0;
  }
  return ratio;
}

}  // namespace

Polynomial Polynomial::Constant(const mpq_class& value) {
  Polynomial polynomial;
  if (value != 0) polynomial.terms.emplace(Monomial{}, value);
  return polynomial;
}

Polynomial Polynomial::Atom(AtomId atom) {
  Polynomial polynomial;
  polynomial.terms.emplace(Monomial{{atom, 1}}, 1);
  return polynomial;
}

bool Polynomial::IsConstant() const {
  return !too_large && (terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()));
}

mpq_class Polynomial::value() const { return terms.empty() ? mpq_class(0) : terms.begin()->second; }

Polynomial Add(const Polynomial& x, const Polynomial& y) {
  if (x.too_large || y.too_large) return TooLarge();
  Polynomial sum = x;
  for (const auto& [monomial, coefficient] : y.terms) AddTerm(monomial, coefficient, &sum);
  return sum.too_large || sum.terms.size() > kMaxMonomials ? TooLarge() : sum;
}

Polynomial Scale(const Polynomial& x, const mpq_class& factor) {
  if (factor == 0 && !x.too_large) return {};
  Polynomial scaled = x;
  for (auto& [monomial, coefficient] : scaled.terms) coefficient *= factor;
  return scaled;
}

Monomial MultiplyMonomials(const Monomial& x, const Monomial& y) {
  Monomial product;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].first < y[j].first)) {
      product.push_back(x[i++]);
    } else if (i == x.size() || y[j].first < x[i].first) {
      product.push_back(y[j++]);
    } else {
      product.emplace_back(x[i].first, x[i].second + y[j].second);
      ++i, ++j;
    }
  }
  return product;
}

Polynomial Multiply(const Polynomial& x, const Polynomial& y) {
  if (x.too_large || y.too_large || x.terms.size() * y.terms.size() > 16 * kMaxMonomials) return TooLarge();
  Polynomial product;
  for (const auto& [left, left_coefficient] : x.terms) {
    for (const auto& [right, right_coefficient] : y.terms) {
      const Monomial monomial = MultiplyMonomials(left, right);
      for (const auto& [atom, exponent] : monomial) {
        if (exponent > kMaxDegree) return TooLarge();
      }
      AddTerm(monomial, left_coefficient * right_coefficient, &product);
      if (product.too_large || product.terms.size() > kMaxMonomials) return TooLarge();
    }
  }
  return product;
}

Fraction Normalized(Polynomial numerator, Polynomial denominator) {
  if (numerator.too_large || denominator.too_large) return {TooLarge(), TooLarge()};
  if (denominator.IsZero()) return {std::move(numerator), std::move(denominator)};
  if (numerator.IsZero()) return Fraction::Constant(0);
  const mpq_class ratio = Ratio(numerator, denominator);
  if (ratio != 0) return Fraction::Constant(ratio);
  Monomial common = denominator.terms.begin()->first;
  KeepCommon(denominator, &common);
  KeepCommon(numerator, &common);
  if (!common.empty()) {
    numerator = DivideBy(numerator, common);
    denominator = DivideBy(denominator, common);
  }
  const mpq_class scale = 1 / denominator.terms.rbegin()->second;
  return {Scale(numerator, scale), Scale(denominator, scale)};
}

Fraction Add(const Fraction& x, const Fraction& y) {
  if (x.denominator == y.denominator) return Normalized(Add(x.numerator, y.numerator), x.denominator);
  return Normalized(Add(Multiply(x.numerator, y.denominator), Multiply(y.numerator, x.denominator)),
                    Multiply(x.denominator, y.denominator));
}

Fraction Multiply(const Fraction& x, const Fraction& y) {
  return Normalized(Multiply(x.numerator, y.numerator), Multiply(x.denominator, y.denominator));
}

Fraction Negate(const Fraction& x) { return {Scale(x.numerator, -1), x.denominator}; }

Fraction Invert(const Fraction& x) { return Normalized(x.denominator, x.numerator); }

Polynomial DifferenceNumerator(const Fraction& x, const Fraction& y) {
  if (x.denominator == y.denominator) return Add(x.numerator, Scale(y.numerator, -1));
  return Add(Multiply(x.numerator, y.denominator), Scale(Multiply(y.numerator, x.denominator), -1));
}

std::string Spell(const Polynomial& polynomial) {
  if (polynomial.too_large) return "too large";
  std::string text = polynomial.terms.empty() ? "0" : "";
  for (const auto& [monomial, coefficient] : polynomial.terms) {
    absl::StrAppend(&text, text.empty() ? "" : "+", coefficient.get_str());
    for (const auto& [atom, exponent] : monomial) absl::StrAppend(&text, "*", atom, "^", exponent);
  }
  return text;
}

std::string Spell(const Fraction& fraction) {
  return absl::StrCat("(", Spell(fraction.numerator), ")/(", Spell(fraction.denominator), ")");
}

}  // namespace rewrought::verifier
