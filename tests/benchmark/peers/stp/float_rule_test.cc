#include "tests/benchmark/peers/stp/float_rule.h"

#include <gtest/gtest.h>

namespace rewrought::peers {
namespace {

using OperandKind = FloatOperand::Kind;
using TargetKind = FloatTarget::Kind;

constexpr uint8_t kAllModes = 0b11111, kNotTowardNegative = 0b10111;
const FloatOperand kX, kMinusZero = {OperandKind::kConstant, FloatConstant::kMinusZero};

FloatOperand Inner(FloatOp op) { return {OperandKind::kInner, FloatConstant::kNaN, op}; }

TEST(FloatRule, HoldsInItsModes) {
  const FloatMeaning meaning({3, 4});
  FloatRule rule = {{FloatOp::kAdd, {kX, kMinusZero}}, {TargetKind::kVariable}, kNotTowardNegative};
  EXPECT_EQ(rule.Describe(), "(fp.add {RNE,RNA,RTP,RTZ} x -0) -> x");
  EXPECT_FALSE(meaning.FirstDifference(rule).has_value());
  rule.modes = kAllModes;
  EXPECT_EQ(rule.Describe(), "(fp.add rm x -0) -> x");
  EXPECT_EQ(meaning.FirstDifference(rule), 0u);  // +0 - 0 is -0 when rounding down
}

TEST(FloatRule, HoldsForBothChoicesOfZero) {
  const FloatMeaning meaning({3, 4});
  const FloatRule of_either = {{FloatOp::kMax, {Inner(FloatOp::kNeg), kX}}, {TargetKind::kAbsolute}, 1};
  EXPECT_EQ(of_either.Describe(), "(fp.max (fp.neg x) x) -> (fp.abs x)");
  EXPECT_EQ(meaning.FirstDifference(of_either), 0u);
  EXPECT_TRUE(meaning.HoldsAt(of_either, 1));
  EXPECT_EQ(meaning.Value(of_either.candidate, Rounding::kNearestEven, ZeroChoice::kPositive, 0), 0u);
}

TEST(FloatRule, InnerTermsRoundInTheSameMode) {
  const FloatMeaning meaning({3, 4});
  const FloatRule rule = {
      {FloatOp::kRoundToIntegral, {Inner(FloatOp::kRoundToIntegral)}}, {TargetKind::kInner}, kAllModes};
  EXPECT_EQ(rule.Describe(), "(fp.roundToIntegral rm (fp.roundToIntegral rm x)) -> (fp.roundToIntegral rm x)");
  EXPECT_FALSE(meaning.FirstDifference(rule).has_value());
  EXPECT_TRUE((FloatCandidate{FloatOp::kLess, {Inner(FloatOp::kSqrt), kX}}.Rounds()));
  EXPECT_FALSE((FloatCandidate{FloatOp::kLess, {Inner(FloatOp::kNeg), kX}}.Rounds()));
}

}  // namespace
}  // namespace rewrought::peers
