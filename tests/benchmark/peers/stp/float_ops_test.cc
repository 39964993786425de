// Compares every op on every float of a small format with Z3's floating-point theory. Asks Z3 for operands on which the
// results differ. Z3 must find none, unless the test has corrupted a result.
#include "tests/benchmark/peers/stp/float_ops.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/benchmark/peers/stp/float_proof.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::peers {
namespace {

using Operands = std::array<uint32_t, 3>;
using Result = std::function<uint32_t(const Operands&)>;

const verifier::Solvers& Z3() {
  static const verifier::Solvers& solvers = *new verifier::Solvers(*verifier::OpenSolvers({}));
  return solvers;
}

// Returns whether to skip the operands: two zeros for which fp.min may return either, or swapped factors of fp.fma.
bool LeftOut(const SmallFloat& floats, FloatOp op, const Operands& operands) {
  if (op == FloatOp::kFma) return operands[0] > operands[1];
  return (op == FloatOp::kMin || op == FloatOp::kMax) && floats.IsZero(operands[0]) && floats.IsZero(operands[1]) &&
         operands[0] != operands[1];
}

// Returns the query "Are there operands for which `op` in `rounding` differs from `result`?"
std::string StateDifferences(FloatOp op, const SmallFloat& floats, Rounding rounding, const Result& result) {
  const FloatOpRow& row = RowOf(op);
  const SmallFormat format = floats.format();
  std::string text;
  for (uint32_t i = 0; i < format.patterns(); ++i) {
    absl::StrAppend(&text, "(define-fun p", i, " () (_ FloatingPoint ", format.exponent_bits, " ",
                    format.significand_bits, ") ", SpellLiteral(format, i), ")\n");
  }
  uint64_t tuples = 1;
  for (int i = 0; i < row.operands; ++i) tuples *= format.patterns();
  text += "(assert (or false\n";
  for (uint64_t tuple = 0; tuple < tuples; ++tuple) {
    Operands operands = {};
    uint64_t rest = tuple;
    std::string call = absl::StrCat("(", row.name, row.rounds ? " " : "", row.rounds ? NameOf(rounding) : "");
    for (int i = 0; i < row.operands; ++i, rest /= format.patterns()) {
      operands[i] = static_cast<uint32_t>(rest % format.patterns());
      absl::StrAppend(&call, " p", operands[i]);
    }
    if (LeftOut(floats, op, operands)) continue;
    const uint32_t value = result(operands);
    const std::string wanted = row.predicate ? (value != 0 ? "true" : "false") : absl::StrCat("p", value);
    absl::StrAppend(&text, "(not (= ", call, ") ", wanted, "))\n");
  }
  return text + "))\n";
}

verifier::Answer Differences(FloatOp op, const SmallFloat& floats, Rounding rounding, const Result& result) {
  const verifier::SolverAnswer answer =
      Z3().first()->Solve({.text = StateDifferences(op, floats, rounding, result), .work_ms = 100'000});
  EXPECT_EQ(answer.reason, "");
  return answer.answer;
}

Result Ours(FloatOp op, const SmallFloat& floats, Rounding rounding) {
  return [op, &floats, rounding](const Operands& operands) {
    return Apply(floats, op, rounding, ZeroChoice::kPositive, operands);
  };
}

void ExpectAsZ3(FloatOp op, SmallFormat format) {
  const SmallFloat floats(format);
  for (const Rounding rounding : kRoundings) {
    EXPECT_EQ(Differences(op, floats, rounding, Ours(op, floats, rounding)), verifier::Answer::kUnsat)
        << RowOf(op).name << " " << NameOf(rounding);
    if (!RowOf(op).rounds) break;
  }
}

TEST(FloatOps, OneAndTwoOperandsAreZ3sOnAllFloats) {
  for (const FloatOpRow& row : FloatOpRows()) {
    if (row.operands < 3) ExpectAsZ3(row.op, {3, 4});
  }
}

// Checks the 1.3 million results with ordered factors. Formats with three significand bits are excluded because Z3
// 4.8.12 folds 0.25 * 0.25 + 0 at (2,3), rounded to nearest, to 2.
class FusedMultiplyAdd : public testing::TestWithParam<Rounding> {};

TEST_P(FusedMultiplyAdd, IsZ3sOnAllFloats) {
  const SmallFloat floats({2, 4});
  const Result ours = Ours(FloatOp::kFma, floats, GetParam());
  for (uint32_t tuple = 0; tuple < 1u << 18; ++tuple) {
    const uint32_t a = tuple & 63, b = tuple >> 6 & 63, c = tuple >> 12;
    ASSERT_EQ(ours({a, b, c}), ours({b, a, c}));
  }
  EXPECT_EQ(Differences(FloatOp::kFma, floats, GetParam(), ours), verifier::Answer::kUnsat);
}

INSTANTIATE_TEST_SUITE_P(Modes, FusedMultiplyAdd, testing::ValuesIn(kRoundings),
                         [](const auto& mode) { return std::string(NameOf(mode.param)); });

TEST(FloatOps, FusedMultiplyAddIsRightWhereZ3IsNot) {
  const SmallFloat floats({2, 3});
  const uint32_t quarter = 0b0'00'01;
  EXPECT_EQ(floats.Fma(Rounding::kNearestEven, quarter, quarter, 0), 0u);
  EXPECT_EQ(floats.Fma(Rounding::kTowardPositive, quarter, quarter, 0), quarter);
  EXPECT_EQ(floats.Fma(Rounding::kNearestEven, quarter, quarter, quarter), quarter);
}

TEST(FloatOps, AWrongRoundingIsSeen) {
  const SmallFloat floats({3, 4});
  for (const FloatOp op : {FloatOp::kAdd, FloatOp::kMul, FloatOp::kDiv, FloatOp::kSqrt, FloatOp::kRoundToIntegral}) {
    for (const Rounding wrong : kRoundings) {
      if (wrong == Rounding::kNearestEven) continue;
      // In these formats, no root is a tie or negative.
      if (op == FloatOp::kSqrt && wrong == Rounding::kNearestAway) continue;
      EXPECT_EQ(Differences(op, floats, Rounding::kNearestEven, Ours(op, floats, wrong)), verifier::Answer::kSat)
          << RowOf(op).name << " " << NameOf(wrong);
    }
  }
}

TEST(FloatOps, OneWrongResultIsSeen) {
  const SmallFloat floats({3, 4});
  const Result add = Ours(FloatOp::kAdd, floats, Rounding::kTowardZero);
  const auto wrong_once = [&](const Operands& operands) {
    return operands[0] == 17 && operands[1] == 90 ? add(operands) ^ 1 : add(operands);
  };
  EXPECT_EQ(Differences(FloatOp::kAdd, floats, Rounding::kTowardZero, wrong_once), verifier::Answer::kSat);
  const Result less = Ours(FloatOp::kLess, floats, Rounding::kNearestEven);
  const auto zeros_ordered = [&](const Operands& operands) {
    return operands[0] == floats.zero(true) && operands[1] == 0 ? 1 : less(operands);
  };
  EXPECT_EQ(Differences(FloatOp::kLess, floats, Rounding::kNearestEven, zeros_ordered), verifier::Answer::kSat);
}

}  // namespace
}  // namespace rewrought::peers
