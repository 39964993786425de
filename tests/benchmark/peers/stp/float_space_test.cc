// Tests that the space has exactly STP's candidates, and that its counts depend on each part of its definition.
#include "tests/benchmark/peers/stp/float_space.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rewrought::peers {
namespace {

using OperandKind = FloatOperand::Kind;
using TargetKind = FloatTarget::Kind;

size_t Confirmed(const FloatSpaceResult& result) {
  return static_cast<size_t>(
      std::count_if(result.rules.begin(), result.rules.end(), [](const FloatRule& rule) { return rule.confirmed; }));
}

// STP reports 1730 evaluations and 140 rules at depth 1, and 8754 evaluations and 626 rules at depth 2.
TEST(FloatSpace, HasStpsCounts) {
  const FloatSpaceResult one = SearchFloatSpace(1), two = SearchFloatSpace(2);
  EXPECT_EQ(FloatCandidates(1).size(), 368u);
  EXPECT_EQ(one.searched, 1292u);
  EXPECT_EQ(one.searched + one.confirming, 1730u);
  EXPECT_EQ(Confirmed(one), 140u);
  EXPECT_EQ(FloatCandidates(2).size(), 1533u);
  EXPECT_EQ(two.searched, 6441u);
  EXPECT_EQ(two.searched + two.confirming, 8754u);
  EXPECT_EQ(Confirmed(two), 626u);
}

TEST(FloatSpace, CandidatesHaveTheirVariableOrOneInnerTerm) {
  for (const FloatCandidate& candidate : FloatCandidates(1)) EXPECT_EQ(candidate.Inner(), nullptr);
  for (const FloatCandidate& candidate : FloatCandidates(2)) {
    EXPECT_NE(candidate.op, FloatOp::kFma);
    EXPECT_EQ(std::count_if(candidate.operands.begin(), candidate.operands.end(),
                            [](const FloatOperand& operand) { return operand.kind == OperandKind::kInner; }),
              1);
  }
}

// Overflow and underflow depend on the mode: only when rounding up does x * x = 0 imply that x is a zero.
TEST(FloatSpace, TellsModesApart) {
  const FloatOperand square = {OperandKind::kInner, FloatConstant::kNaN, FloatOp::kMul},
                     zero = {OperandKind::kConstant, FloatConstant::kPlusZero};
  const FloatCandidate candidate = {FloatOp::kEqual, {square, zero}};
  const FloatMeaning meaning({3, 4});
  for (const Rounding rounding : kRoundings) {
    const std::optional<FloatTarget> target = FindTarget(meaning, candidate, rounding);
    EXPECT_EQ(target == FloatTarget{TargetKind::kIsZero}, rounding == Rounding::kTowardPositive);
    EXPECT_EQ(target.has_value(), rounding == Rounding::kTowardPositive);
  }
}

// With two exponent and two significand bits, the search finds 31 rules that the second format refutes, and misses 11.
TEST(FloatSpace, TheSecondFormatSeesWhatHoldsInTheFirstAlone) {
  const FloatSpaceResult two = SearchFloatSpace(2, {.search = {2, 2}});
  EXPECT_EQ(two.rules.size(), 646u);
  EXPECT_EQ(Confirmed(two), 615u);
  EXPECT_EQ(SearchFloatSpace(2, {.search = {3, 3}}).rules.size(), 627u);
}

// Small formats are misleading for one rule: the root of 2^-5 is subnormal in (3,4), but the root of 2^-24 is not
// subnormal in (5,11).
TEST(FloatSpace, RootsAreNotSubnormalWhereExponentsAreMany) {
  const FloatOperand root = {OperandKind::kInner, FloatConstant::kNaN, FloatOp::kSqrt};
  const FloatCandidate candidate = {FloatOp::kIsSubnormal, {root}};
  EXPECT_FALSE(FindTarget(FloatMeaning({3, 4}), candidate, Rounding::kNearestEven).has_value());
  const std::optional<FloatTarget> target = FindTarget(FloatMeaning({5, 11}), candidate, Rounding::kNearestEven);
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->kind, TargetKind::kFalse);
}

}  // namespace
}  // namespace rewrought::peers
