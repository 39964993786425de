#include "verifier/inexact/inexact_reals.h"

#include <gtest/gtest.h>

#include <set>

namespace rewrought::verifier {
namespace {

using Real = NormalForms::Real;

class NormalFormsTest : public testing::Test {
 protected:
  Real Call(ir::Primitive primitive, std::vector<Real> x) {
    ir::Value value;
    value.primitive = primitive;
    return forms_.Apply(value, x);
  }
  Real Call(ir::Approximation function, std::vector<Real> x) {
    ir::Value value;
    value.primitive = ir::Primitive::kApprox;
    value.immediate = static_cast<uint64_t>(function);
    return forms_.Apply(value, x);
  }
  Real Sum(Real x, Real y) { return Call(ir::Primitive::kFadd, {x, y}); }
  Real Product(Real x, Real y) { return Call(ir::Primitive::kFmul, {x, y}); }
  bool Equal(const Real& x, const Real& y) { return DifferenceNumerator(x.value, y.value).IsZero(); }

  NormalForms forms_;
  Real a_ = forms_.RealInput(0), b_ = forms_.RealInput(1), c_ = forms_.RealInput(2);
};

TEST_F(NormalFormsTest, PolynomialsAreEqualAsFunctions) {
  EXPECT_TRUE(Equal(Product(a_, Sum(b_, c_)), Sum(Product(c_, a_), Product(a_, b_))));
  EXPECT_FALSE(Equal(Product(a_, b_), Sum(a_, b_)));
  EXPECT_TRUE(Sum(a_, Call(ir::Primitive::kFneg, {a_})).value.numerator.IsZero());
}

TEST_F(NormalFormsTest, ConstantsAreTheExactValuesOfDoubles) {
  const Real tenth = forms_.Literal(0.1), ten = forms_.Literal(10);
  EXPECT_FALSE(Equal(Product(tenth, ten), forms_.Literal(1)));
  EXPECT_TRUE(Equal(Product(forms_.Literal(0.125), forms_.Literal(8)), forms_.Literal(1)));
  EXPECT_FALSE(Equal(Sum(forms_.Literal(1), forms_.Literal(0x1p-1000)), forms_.Literal(1)));
}

TEST_F(NormalFormsTest, FractionsKnowWhereTheyExist) {
  const Real inverse = Call(ir::Approximation::kRcp, {a_});
  const Real one = Product(inverse, a_);
  EXPECT_TRUE(Equal(one, forms_.Literal(1)));
  EXPECT_EQ(one.exists, forms_.formulas().Not(forms_.formulas().IsZero(a_.value.numerator)));
  const Real sum = Sum(inverse, Call(ir::Approximation::kRcp, {b_}));
  EXPECT_TRUE(Equal(sum, Product(Sum(a_, b_), Call(ir::Approximation::kRcp, {Product(a_, b_)}))));
  EXPECT_TRUE(Equal(Call(ir::Approximation::kRcp, {inverse}), a_));
  EXPECT_EQ(Product(Product(a_, Sum(b_, c_)), inverse).value, Sum(b_, c_).value);
  const Real below = Product(Call(ir::Primitive::kFneg, {b_}), inverse);
  const auto truth = forms_.Compare(ir::Primitive::kFlt, forms_.Literal(0), below).truth;
  EXPECT_EQ(truth, forms_.formulas().IsNegative(Product(a_, b_).value.numerator));
}

TEST_F(NormalFormsTest, FunctionsFollowTheirIdentities) {
  const auto exp2 = [&](Real x) { return Call(ir::Approximation::kExp2, {x}); };
  const auto log2 = [&](Real x) { return Call(ir::Approximation::kLog2, {x}); };
  const auto sqrt = [&](Real x) { return Call(ir::Approximation::kSqrt, {x}); };
  EXPECT_TRUE(Equal(exp2(Sum(a_, b_)), Product(exp2(a_), exp2(b_))));
  EXPECT_TRUE(Equal(log2(exp2(a_)), a_));
  EXPECT_TRUE(Equal(exp2(forms_.Literal(-3)), forms_.Literal(0.125)));
  EXPECT_TRUE(Equal(log2(forms_.Literal(8)), forms_.Literal(3)));
  EXPECT_TRUE(Equal(Product(sqrt(a_), sqrt(a_)), a_));
  EXPECT_TRUE(Equal(sqrt(forms_.Literal(2.25)), forms_.Literal(1.5)));
  EXPECT_FALSE(Equal(log2(Product(a_, b_)), Sum(log2(a_), log2(b_))));
  EXPECT_FALSE(Equal(sqrt(Product(a_, b_)), Product(sqrt(a_), sqrt(b_))));
  EXPECT_TRUE(forms_.used_identities().count("exp2-sum") == 1);
}

TEST_F(NormalFormsTest, EveryIdentityUsedIsListed) {
  std::set<absl::string_view> names;
  for (const RealIdentity& identity : RealIdentities())
    EXPECT_TRUE(names.insert(identity.name).second) << identity.name;
  const Real x = Call(ir::Approximation::kPow, {Call(ir::Approximation::kRsq, {a_}), Sum(b_, forms_.Literal(1.5))});
  Call(ir::Approximation::kSin, {Call(ir::Primitive::kFneg, {x})});
  Call(ir::Primitive::kFfloor, {Sum(x, forms_.Literal(2))});
  EXPECT_GE(forms_.used_identities().size(), 5u);
  for (const absl::string_view used : forms_.used_identities()) EXPECT_EQ(names.count(used), 1u) << used;
}

TEST_F(NormalFormsTest, GrowthIsBounded) {
  Real power = Sum(Sum(a_, b_), Sum(c_, forms_.Literal(1)));
  for (int i = 0; i < 8; ++i) power = Product(power, power);
  EXPECT_TRUE(forms_.too_large());
  EXPECT_FALSE(Equal(power, power));
}

TEST(Formulas, FoldWhatIsDecidedBySigns) {
  FormulaStore store([](AtomId atom) { return atom == 1; });
  const Polynomial a = Polynomial::Atom(0), positive = Polynomial::Atom(1);
  EXPECT_EQ(store.IsNegative(Multiply(a, a)), kFalseFormula);
  EXPECT_EQ(store.IsZero(Add(Multiply(a, a), Polynomial::Constant(1))), kFalseFormula);
  EXPECT_EQ(store.IsNegative(Scale(positive, -2)), kTrueFormula);
  EXPECT_EQ(store.IsNegative(Scale(a, 3)), store.IsNegative(a));
  EXPECT_NE(store.IsNegative(Scale(a, -3)), store.IsNegative(a));
  EXPECT_EQ(store.IsZero(Scale(a, -3)), store.IsZero(a));
}

TEST(Formulas, AreSharedAndSimplified) {
  FormulaStore store([](AtomId) { return false; });
  const FormulaId x = store.Variable(0), y = store.Variable(1), z = store.Variable(2);
  EXPECT_EQ(store.And({x, store.Not(x)}), kFalseFormula);
  EXPECT_EQ(store.And({x, store.And({y, z})}), store.And({z, store.And({x, y})}));
  EXPECT_EQ(store.And({x, store.Not(store.And({x, y}))}), store.And({x, store.Not(y)}));
  EXPECT_NE(store.And({x, y}), store.And({x, z}));
  EXPECT_NE(store.And({x, y}), store.Or(x, y));
  EXPECT_EQ(store.And({x, y, store.Not(store.And({x, y}))}), kFalseFormula);
  EXPECT_EQ(store.Choose(x, y, y), y);
  EXPECT_EQ(store.Or(x, store.Not(x)), kTrueFormula);
}

}  // namespace
}  // namespace rewrought::verifier
