#include "verifier/inexact/rounding_bound.h"

#include <gtest/gtest.h>

#include "verifier/inexact/constant_sets.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

ErrorGrowth GrowthOf(absl::string_view rule, Fusing fusing = {}) {
  const RuleCase rule_case = CaseOf(rule, 32, ir::DenormMode::kPreserve);
  auto prepared = PreparedCase::Create(rule_case);
  fusing.constants = ConstantSets(rule_case.search);
  EXPECT_TRUE(prepared.ok()) << prepared.status().message();
  return GrowthOfErrors(**prepared, fusing, {});
}

const Fusing kFused{true, true};

TEST(GrowthOfErrors, CountsRoundings) {
  EXPECT_EQ(GrowthOf("(('~fadd', a, b), ('fadd', b, a))").factor, 1);
  EXPECT_EQ(GrowthOf("(('~fmul', ('fmul', a, b), c), ('fmul', a, ('fmul', b, c)))").factor, 2);
  EXPECT_EQ(GrowthOf("(('~fadd', ('fadd', a, b), ('fneg', ('fadd', c, b))), ('fadd', a, ('fneg', c)))").factor, 1);
  // Each of the replacement's two roundings has the effect |a(b + c)|; so does the rounding of the result.
  EXPECT_EQ(GrowthOf("(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))").factor, 2);
  // Products with powers of two are exact.
  EXPECT_EQ(GrowthOf("(('~fadd', a, a), ('fmul', a, 2.0))").factor, 0);
}

TEST(GrowthOfErrors, SaysNothingWhereDigitsCancel) {
  for (const char* const rule : {
           "(('~fmul', ('fadd', a, b), ('fadd', a, ('fneg', b))), ('fadd', ('fmul', a, a), ('fneg', ('fmul', b, b))))",
           "(('~fmul', a, ('fadd', b, c)), ('fadd', ('fmul', a, b), ('fmul', a, c)))",
           "(('~fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))",
           "(('~fmul', ('fadd', 1.0, a), b), ('fadd', ('fmul', a, b), b))",
           // The replacement adds an error of 2^-24 (a + b), relative to the result.
           "(('~fmul', ('fexp2', a), ('fexp2', b)), ('fexp2', ('fadd', a, b)))",
           "(('~bcsel', 'a@1', ('fmul', b, ('fadd', c, d)), e), ('bcsel', a, ('fadd', ('fmul', b, c), ('fmul', b, d)), "
           "e))",
           "(('~fmax', ('fmul', a, ('fadd', b, c)), d), ('fmax', ('fadd', ('fmul', a, b), ('fmul', a, c)), d))",
           // Near b = -1, the fused sum b c + c is exact, but its product with -c rounds.
           "(('~ffma', ('ffma', b, c, c), ('fneg', c), ('fmul', ('fneg', b), ('ffract', b))), "
           "('fadd', ('fmul', ('ffma', b, c, c), ('fneg', c)), ('fmul', ('fneg', b), ('ffract', b))))",
           // Near a = 0, the first factor is 1, and its product with b is exact.
           "(('~ffma', ('fmul', ('ffma', a, a, 1.0), b), d, c), ('ffma', ('ffma', a, a, 1.0), ('fmul', b, d), c))",
           "(('~ffma', ('fmul', ('fexp2', a), b), d, c), ('ffma', ('fexp2', a), ('fmul', b, d), c))",
           "(('~ffma', ('fmul', ('fcos', a), b), d, c), ('ffma', ('fcos', a), ('fmul', b, d), c))",
           "(('~ffma', ('fsin', a), b, c), ('fadd', ('fmul', ('fsin', a), b), c))",
           // Near b = -a, the sum has few significant bits, and its square is exact.
           "(('~fmul', ('ffma', ('fadd', c, d), ('fadd', d, d), ('fmul', ('fadd', b, a), ('fadd', b, a))), c), "
           "('fmul', "
           "('fadd', ('fmul', ('fadd', c, d), ('fadd', d, d)), ('fmul', ('fadd', b, a), ('fadd', b, a))), c))",
       }) {
    EXPECT_FALSE(GrowthOf(rule).factor.has_value()) << rule;
    EXPECT_FALSE(GrowthOf(rule).reason.empty()) << rule;
  }
}

// Near a = 0, the fused sum is 1, and its product with b is exact.
TEST(GrowthOfErrors, AFusedSumWithAConstantMayBeExact) {
  const char* const rule =
      "(('~ffma', ('fmul', ('fadd', ('fmul', a, a), 1.0), b), d, c), "
      "('ffma', ('fadd', ('fmul', a, a), 1.0), ('fmul', b, d), c))";
  EXPECT_FALSE(GrowthOf(rule, kFused).factor.has_value());
}

TEST(GrowthOfErrors, AFusedProductIsNotRounded) {
  const char* const rule = "(('~fmul', ('fadd', 1.0, a), b), ('fadd', ('fmul', a, b), b))";
  EXPECT_EQ(GrowthOf(rule, kFused).factor, 1);
  // A program's product is never fused further.
  EXPECT_FALSE(GrowthOf(rule, {.search = true}).factor.has_value());
  // A product with two uses is not fused.
  EXPECT_FALSE(
      GrowthOf("(('~fmul', ('fadd', 1.0, a), ('fadd', b, b)), ('fadd', ('fmul', a, b), ('fadd', ('fmul', a, b), "
               "('fadd', b, b))))",
               kFused)
          .factor.has_value());
  EXPECT_FALSE(GrowthOf("(('~bcsel', 'c@1', ('fmul', ('fadd', 1.0, a), b), ('fmul', a, b)), "
                        "('bcsel', c, ('fadd', ('fmul', a, b), b), ('fmul', a, b)))",
                        kFused)
                   .factor.has_value());
  // In a sum of two products, one is fused, but it is unknown which.
  EXPECT_FALSE(
      GrowthOf("(('~fmul', a, ('fadd', b, c)), ('fadd', ('fmul', a, b), ('fmul', a, c)))", kFused).factor.has_value());
  // With factors of 1, the products are exact, and the intermediate sums lose digits.
  const char* const sum =
      "(('~fadd', ('fadd', ('fadd', ('fmul', a, b), ('fmul', c, d)), ('fmul', e, f)), g), "
      "('fadd', ('fmul', e, f), ('fadd', ('fmul', a, b), ('fadd', ('fmul', c, d), g))))";
  EXPECT_FALSE(GrowthOf(sum).factor.has_value());
  EXPECT_FALSE(GrowthOf(sum, kFused).factor.has_value());
}

TEST(GrowthOfErrors, LooksAtEachCaseOfItsComparisons) {
  EXPECT_EQ(GrowthOf("(('~bcsel', 'a@1', ('fadd', b, c), ('fadd', d, c)), ('fadd', c, ('bcsel', a, b, d)))").factor, 1);
  EXPECT_EQ(GrowthOf("(('~fmin', ('fadd', a, b), ('fadd', a, c)), ('fadd', a, ('fmin', b, c)))").factor, 1);
  EXPECT_EQ(GrowthOf("(('~fabs', ('fmul', a, b)), ('fmul', ('fabs', a), ('fabs', b)))").factor, 1);
  EXPECT_EQ(GrowthOf("(('~fsqrt', ('fmul', a, a)), ('fabs', a))").factor, 0);
  // The compared value was rounded once and is now rounded twice.
  EXPECT_FALSE(
      GrowthOf("(('~flt', a, ('fmul', b, ('fadd', c, d))), ('flt', a, ('fadd', ('fmul', b, c), ('fmul', b, d))))")
          .factor.has_value());
  EXPECT_EQ(GrowthOf("(('~flt', ('fadd', a, b), ('fadd', c, b)), ('flt', a, c))").factor, 0);
  // The search side compares values that are not rounded.
  EXPECT_FALSE(GrowthOf("(('~flt', a, b), ('flt', ('fadd', a, b), ('fadd', b, b)))").factor.has_value());
  // The replacement rounds the compared value twice, and the first of these roundings is not part of the search side.
  EXPECT_FALSE(
      GrowthOf("(('~flt', a, ('fadd', ('fmul', b, c), ('fmul', b, d))), ('flt', a, ('fmul', b, ('fadd', c, d))))")
          .factor.has_value());
}

// An operation that is exact on a whole region contributes no error to the search side there.
TEST(GrowthOfErrors, ExactOperationsExcuseNothing) {
  for (const char* const rule : {
           "(('~fmul', ('fadd', ('ffract', a), b), c), ('fadd', ('fmul', ('ffract', a), c), ('fmul', b, c)))",
           "(('~fmul', ('flrp', -1.0, 1.0, a), b), ('flrp', ('fneg', b), b, a))",
           "(('~fmul', ('fadd', ('ffloor', a), 1.0), b), ('fadd', ('fmul', ('ffloor', a), b), b))",
           "(('~fmul', ('fmul', ('f2f32', 'a@16'), ('fadd', ('f2f32', 'b@16'), ('f2f32', 'c@16'))), 0.5), "
           "('fadd', ('fmul', ('fmul', ('f2f32', a), 0.3), ('f2f32', b)), "
           "('fmul', ('fadd', ('fmul', ('f2f32', a), 0.5), ('fmul', ('f2f32', a), -0.3)), ('f2f32', b))))",
           // With b = 2, the product a b is exact.
           "(('~fmul', ('fadd', ('fmul', a, b), c), d), ('fadd', ('fmul', a, ('fmul', b, d)), ('fmul', c, d)))",
           // With c = 1, c d + d is exact.
           "(('~flrp', -1.0, ('fadd', a, c), ('ffma', c, d, d)), ('ffma', ('ffma', c, d, d), ('fadd', ('fadd', a, c), "
           "('fneg', ('fneg', 1.0))), ('fneg', 1.0)))",
           // A computed dividend may be a multiple of the divisor: the quotient is exact if c is a power of two.
           "(('~fadd', ('fdiv', ('fmul', 'b(is_not_const)', c), 'b(is_not_const)'), d), "
           "('fadd', ('fmul', ('fdiv', c, b), b), d))",
           "(('~fadd', ('fdiv', 'a(is_not_const)', ('fmul', 'a(is_not_const)', c)), d), "
           "('fadd', ('fmul', ('frcp', ('fmul', a, c)), a), d))",
           // The square of a 16-bit float is exact, and it is a multiple of that float.
           "(('~fadd', ('fdiv', ('fmul', ('f2f32', 'a@16'), ('f2f32', 'a@16')), ('f2f32', 'a@16')), b), "
           "('fadd', ('fadd', ('fmul', ('f2f32', a), 0.3), ('fmul', ('f2f32', a), 0.7)), b))",
           // A power with the exponent 1 is exact.
           "(('~fadd', ('fpow', 'a(is_not_const)', c), b), ('fadd', ('fadd', ('fmul', ('fpow', a, c), 0.3), ('fmul', "
           "('fpow', a, c), 0.7)), b))",
           // For a in [0, 1), the product is 0, and the fused sum is exact.
           "(('~fadd', ('ffma', ('fmul', ('fmul', ('ffloor', a), 'b(is_not_const)'), 'g(is_not_const)'), "
           "'c(is_not_const)', d), e), ('fadd', ('ffma', ('fmul', ('fmul', ('ffloor', a), b), g), c, ('fadd', ('fmul', "
           "d, "
           "0.3), ('fmul', d, 0.7))), e))",
           // A sum of two 16-bit floats has few significant bits, so its product with a third one may be exact.
           "(('~fadd', ('fmul', ('fadd', ('f2f32', 'a@16'), ('f2f32', 'b@16')), ('f2f32', 'c@16')), d), ('fadd', "
           "('fadd', "
           "('fmul', ('fmul', ('fadd', ('f2f32', a), ('f2f32', b)), ('f2f32', c)), 0.3), ('fmul', ('fmul', ('fadd', "
           "('f2f32', a), ('f2f32', b)), ('f2f32', c)), 0.7)), d))",
           // A fused sum may be exact, too.
           "(('~fmul', ('ffma', a, c, ('ffma', c, d, 2.0)), c), ('ffma', a, ('fmul', c, c), ('fmul', ('ffma', c, d, "
           "2.0), c)))",
       }) {
    EXPECT_FALSE(GrowthOf(rule).factor.has_value()) << rule;
  }
  // A product of two 16-bit floats is exact in binary32, on both sides.
  EXPECT_EQ(GrowthOf("(('~fmul', ('f2f32', 'a@16'), ('f2f32', 'b@16')), ('fmul', ('f2f32', b), ('f2f32', a)))").factor,
            0);
  EXPECT_EQ(GrowthOf("(('~fdiv', a, 2.0), ('fmul', a, 0.5))").factor, 0);
  // A sum that both sides compute adds the same error to both.
  EXPECT_EQ(GrowthOf("(('~fadd', ('fadd', a, b), ('fmul', c, d)), ('fadd', ('fmul', d, c), ('fadd', b, a)))").factor,
            1);
}

// Drivers fuse |a b| + c as |a| |b| + c, and they fuse a product with several uses if all of its uses are sums.
TEST(GrowthOfErrors, TheSearchSideMayBeFusedWhereDriversDiffer) {
  const char* const magnitude =
      "(('~fadd', ('fabs', ('fmul', a, b)), c), ('fadd', ('fadd', c, -1.0), ('fadd', ('fabs', ('fmul', a, b)), 1.0)))";
  EXPECT_FALSE(GrowthOf(magnitude, kFused).factor.has_value());
  EXPECT_EQ(GrowthOf("(('~fadd', ('fabs', ('fmul', a, b)), c), ('fadd', c, ('fabs', ('fmul', b, a))))", kFused).factor,
            1);
  EXPECT_EQ(GrowthOf("(('~fadd', ('fabs', ('fmul', a, b)), c), ('ffma', ('fabs', a), ('fabs', b), c))").factor, 1);
  // Not every driver fuses the magnitude of a product.
  EXPECT_FALSE(GrowthOf("(('~ffma', ('fabs', a), ('fabs', b), c), ('fadd', ('fabs', ('fmul', a, b)), c))", kFused)
                   .factor.has_value());
}

TEST(GrowthOfErrors, AnExactProductMayBeFusedInsteadOfTheOther) {
  const char* const rule = "(('~ffma', a, c, ('fmul', 2.0, b)), ('fadd', ('fmul', a, c), ('fmul', 2.0, b)))";
  EXPECT_FALSE(GrowthOf(rule, kFused).factor.has_value());
  EXPECT_EQ(
      GrowthOf("(('~ffma', 'a(is_not_const)', c, ('fneg', b)), ('fadd', ('fmul', a, c), ('fneg', b)))", kFused).factor,
      1);
}

// A product of two constants is folded, and therefore rounded, before the driver fuses products.
TEST(GrowthOfErrors, AProductOfConstantsIsNotFused) {
  EXPECT_FALSE(GrowthOf("(('~ffma', '#a', '#b', c), ('fadd', ('fmul', a, b), c))", kFused).factor.has_value());
  EXPECT_FALSE(GrowthOf("(('~ffma', a, b, c), ('fadd', ('fmul', a, b), c))", kFused).factor.has_value());
  EXPECT_EQ(GrowthOf("(('~ffma', 'a(is_not_const)', '#b', c), ('fadd', ('fmul', a, b), c))", kFused).factor, 1);
}

// An instruction for flrp rounds its products, even on a target that fuses products of fmul.
TEST(GrowthOfErrors, InnerProductsMayBeRounded) {
  Fusing inner = kFused;
  inner.inner_replace = true;
  const char* const rule = "(('~fadd', ('fmul', c, ('fadd', 1.0, ('fneg', a))), ('fneg', a)), ('flrp', c, -1.0, a))";
  EXPECT_FALSE(GrowthOf(rule, inner).factor.has_value());
}

TEST(GrowthOfErrors, TheSameRealNumberIsRoundedAlike) {
  const char* const rule =
      "(('~flog2', ('fmax', ('fmul', ('fadd', 1.0, a), b), 0.5)), ('flog2', ('fmax', ('ffma', a, b, b), 0.5)))";
  EXPECT_EQ(GrowthOf(rule).factor, 1);
  // The operand of the replacement's last operation was rounded.
  EXPECT_FALSE(GrowthOf("(('~flog2', ('fmax', ('ffma', a, b, b), 0.5)), ('flog2', ('fmax', ('fmul', ('fadd', 1.0, a), "
                        "b), 0.5)))")
                   .factor.has_value());
}

TEST(GrowthOfErrors, ConstantsMayKeepAProductRounded) {
  const char* const rule = "(('~fmul', ('fadd', -1.0, a), b), ('fadd', ('fmul', a, b), ('fneg', b)))";
  const Fusing kKeeping{true, true, true};
  EXPECT_TRUE(GrowthOf(rule, kFused).factor.has_value());
  EXPECT_FALSE(GrowthOf(rule, kKeeping).factor.has_value());
  // The addend is computed, so it is not a constant.
  const char* const computed =
      "(('~fmul', ('fadd', 1.0, a), ('fsqrt', b)), ('fadd', ('fmul', a, ('fsqrt', b)), ('fsqrt', b)))";
  EXPECT_TRUE(GrowthOf(computed, kKeeping).factor.has_value());
}

// A sum of squares does not cancel, so its rounding error is comparable to that of each of its terms.
TEST(GrowthOfErrors, TermsOfOneSignAddUp) {
  const Fusing kIntel{true, false, true};
  const auto factor = GrowthOf(
                          "(('~fadd', ('fadd', ('fmul', a, a), ('fmul', b, b)), c), "
                          "('ffma', a, a, ('ffma', b, b, c)))",
                          kIntel)
                          .factor;
  EXPECT_GE(factor.value_or(0), 1);
  EXPECT_LE(factor.value_or(9), 3);
  EXPECT_FALSE(
      GrowthOf("(('~fadd', ('fadd', ('fmul', a, d), ('fmul', b, b)), c), ('ffma', a, d, ('ffma', b, b, c)))", kIntel)
          .factor.has_value());
}

TEST(GrowthOfErrors, KnowsTheSlopesOfFunctions) {
  EXPECT_EQ(
      GrowthOf("(('~fmul', ('fmul', a, ('frcp', b)), ('frcp', c)), ('fmul', a, ('frcp', ('fmul', b, c))))").factor, 1);
  EXPECT_EQ(GrowthOf("(('~fexp2', ('fmul', ('flog2', a), 1.5)), ('fmul', a, ('fsqrt', a)))").factor, 2);
  EXPECT_EQ(GrowthOf("(('~frcp', ('fsqrt', a)), ('frsq', a))").factor, 0.5);
}

}  // namespace
}  // namespace rewrought::verifier
