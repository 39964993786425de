// Polynomials and rational functions with exact rational coefficients, over atoms identified by number. A result that
// exceeds the limits below becomes `too_large`, which propagates to everything computed from it and equals nothing.
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
// A monomial: atoms with positive exponents, sorted by atom. It is empty for the constant 1.
using Monomial = std::vector<std::pair<AtomId, uint32_t>>;

inline constexpr size_t kMaxMonomials = 2000;
inline constexpr uint32_t kMaxDegree = 128;            // of a single atom in a monomial
inline constexpr size_t kMaxCoefficientBits = 20'000;  // total for numerator and denominator

struct Polynomial {
  std::map<Monomial, mpq_class> terms;  // without zero coefficients
  bool too_large = false;

  static Polynomial Constant(const mpq_class& value);
  static Polynomial Atom(AtomId atom);

  bool IsZero() const { return terms.empty() && !too_large; }
  // If true, `value()` returns the constant.
  bool IsConstant() const;
  mpq_class value() const;

  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

Polynomial Add(const Polynomial& x, const Polynomial& y);
Polynomial Scale(const Polynomial& x, const mpq_class& factor);
Polynomial Multiply(const Polynomial& x, const Polynomial& y);
Monomial MultiplyMonomials(const Monomial& x, const Monomial& y);

// A rational function. Equal functions may have different forms, because greatest common divisors are not computed.
// Only common monomials, equal polynomials and the denominator's leading coefficient are cancelled.
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

// Returns `numerator / denominator` with common factors cancelled; leaves a zero denominator unchanged.
Fraction Normalized(Polynomial numerator, Polynomial denominator);

Fraction Add(const Fraction& x, const Fraction& y);
Fraction Multiply(const Fraction& x, const Fraction& y);
Fraction Negate(const Fraction& x);
Fraction Invert(const Fraction& x);

// Returns the numerator of x - y over the product of the denominators. It is zero iff the functions are equal where
// both are defined.
Polynomial DifferenceNumerator(const Fraction& x, const Fraction& y);

// Returns a string that identifies a polynomial or rational function, for use as a key: "3/2*0^2*1+1".
std::string Spell(const Polynomial& polynomial);
std::string Spell(const Fraction& fraction);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_POLYNOMIAL_H_
