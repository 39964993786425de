#include "verifier/inexact/span_of_terms.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

Fraction A() { return Fraction::Of(Polynomial::Atom(0)); }
Fraction B() { return Fraction::Of(Polynomial::Atom(1)); }
Fraction C() { return Fraction::Of(Polynomial::Atom(2)); }
Fraction D() { return Fraction::Of(Polynomial::Atom(3)); }
Fraction Times(const Fraction& x, int number) { return Multiply(x, Fraction::Constant(number)); }

TEST(FactorOfBound, CountsWhatEachTermCarries) {
  EXPECT_EQ(FactorOfBound({A()}, {}), 0);
  EXPECT_EQ(FactorOfBound({A()}, {A()}), 1);
  EXPECT_EQ(FactorOfBound({A(), A()}, {A()}), 0.5);          // |a| <= (|a| + |a|) / 2
  EXPECT_EQ(FactorOfBound({A()}, {Times(A(), -3)}), 3);      // signs do not matter
  EXPECT_EQ(FactorOfBound({A(), B()}, {Add(A(), B())}), 1);  // |a + b| <= |a| + |b|
  EXPECT_EQ(FactorOfBound({A(), B(), C()}, {Add(A(), Add(B(), C())), C()}), 2);
}

TEST(FactorOfBound, SaysNothingOfWhatIsNoCombination) {
  EXPECT_EQ(FactorOfBound({}, {A()}), std::nullopt);
  EXPECT_EQ(FactorOfBound({A()}, {B()}), std::nullopt);
  EXPECT_EQ(FactorOfBound({Add(A(), B())}, {A()}), std::nullopt);  // fails at a = -b
  EXPECT_EQ(FactorOfBound({A()}, {Multiply(A(), B())}), std::nullopt);
  const Fraction e = Fraction::Of(Polynomial::Atom(4));
  const Fraction four = Add(Add(A(), B()), Add(C(), D()));
  EXPECT_EQ(FactorOfBound({A(), B(), C(), D(), e}, {four}), 1);
  EXPECT_EQ(FactorOfBound({A(), B(), C(), D(), e}, {Add(four, e)}), std::nullopt);  // needs five terms
}

TEST(FactorOfBound, TakesQuotientsOverOneDenominator) {
  const Fraction by_b = Multiply(A(), Invert(B()));
  EXPECT_EQ(FactorOfBound({by_b}, {Times(by_b, 2)}), 2);
  EXPECT_EQ(FactorOfBound({by_b, C()}, {Add(by_b, C())}), 1);
  EXPECT_EQ(FactorOfBound({by_b}, {A()}), std::nullopt);
}

}  // namespace
}  // namespace rewrought::verifier
