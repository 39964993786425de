// Polynomials and fractions of polynomials with exact rational coefficients, over atoms known by number only. What
// grows beyond the bounds below becomes `too_large`, which spreads to all that is computed from it and equals nothing.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_POLYNOMIAL_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_POLYNOMIAL_H_

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rewrought::verifier {

using AtomId = uint32_t;
// Atoms with exponents above 0, sorted by atom; empty: the constant 1.
using Monomial = std::vector<std::pair<AtomId, uint32_t>>;

inline constexpr size_t kMaxMonomials = 2000;
inline constexpr uint32_t kMaxDegree = 128;            // of one atom in one monomial
inline constexpr size_t kMaxCoefficientBits = 20'000;  // numerator and denominator together

struct Polynomial {
  std::map<Monomial, mpq_class> terms;  // without zero coefficients
  bool too_large = false;

  static Polynomial Constant(const mpq_class& value);
  static Polynomial Atom(AtomId atom);

  bool IsZero() const { return terms.empty() && !too_large; }
  // Whether it is a number, which then is `value()`.
  bool IsConstant() const;
  mpq_class value() const;

  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

Polynomial Add(const Polynomial& x, const Polynomial& y);
Polynomial Scale(const Polynomial& x, const mpq_class& factor);
Polynomial Multiply(const Polynomial& x, const Polynomial& y);
Monomial MultiplyMonomials(const Monomial& x, const Monomial& y);

// numerator / denominator. Two equal fractions may differ in form: there is no greatest common divisor here, only
// common monomials, equal polynomials and the denominator's leading coefficient are cancelled.
struct Fraction {
  Polynomial numerator;
  Polynomial denominator = Polynomial::Constant(1);

  static Fraction Of(Polynomial polynomial) { return {std::move(polynomial), Polynomial::Constant(1)}; }
  static Fraction Constant(const mpq_class& value) { return Of(Polynomial::Constant(value)); }

  bool IsPolynomial() const { return denominator.IsConstant(); }
  bool IsConstant() const { return numerator.IsConstant() && IsPolynomial(); }
  mpq_class value() const { return numerator.value(); }
  bool too_large() const { return numerator.too_large || denominator.too_large; }

  friend bool operator==(const Fraction&, const Fraction&) = default;
};

// `numerator / denominator` with what is common cancelled; a denominator that is 0 stays as it is.
Fraction Normalized(Polynomial numerator, Polynomial denominator);

Fraction Add(const Fraction& x, const Fraction& y);
Fraction Multiply(const Fraction& x, const Fraction& y);
Fraction Negate(const Fraction& x);
Fraction Invert(const Fraction& x);

// The numerator of x - y over the product of the denominators: zero iff the fractions are equal where both exist.
Polynomial DifferenceNumerator(const Fraction& x, const Fraction& y);

// A text that tells polynomials and fractions apart, as keys: "3/2*0^2*1+1".
std::string Spell(const Polynomial& polynomial);
std::string Spell(const Fraction& fraction);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_POLYNOMIAL_H_
