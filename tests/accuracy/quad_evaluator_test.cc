#include "tests/accuracy/quad_evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text/rule_text.h"

namespace rewrought::accuracy {
namespace {

struct Compiled {
  Code code;
  std::vector<Variable> variables;
};

Compiled CodeOf(absl::string_view text) {
  Compiled compiled;
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  absl::StatusOr<Code> code = Compile(rule->search, &compiled.variables);
  EXPECT_TRUE(code.ok()) << code.status();
  if (code.ok()) compiled.code = *std::move(code);
  return compiled;
}

size_t Count(const Code& code, Op op) {
  return static_cast<size_t>(
      std::count_if(code.steps.begin(), code.steps.end(), [&](const Instruction& step) { return step.op == op; }));
}

TEST(QuadEvaluator, RoundsInTheFormatAndNotInQuad) {
  const Compiled sum = CodeOf("(('fadd@32', 'a@32', 'b@32'), 'a@32')");
  const Trace trace = Evaluate(sum.code, {1, 0x1p-30});
  EXPECT_EQ(trace.computed.back(), 1);
  EXPECT_EQ(static_cast<double>(trace.exact.back()), 1 + 0x1p-30);
  EXPECT_TRUE(trace.rounds.back());
  EXPECT_EQ(static_cast<double>(ErrorBound(sum.code, trace, trace.rounds)), (1 + 0x1p-30) * 0x1p-24);
  // Sterbenz's lemma.
  const Trace exact = Evaluate(sum.code, {1, -0x1.fffffep-1});
  EXPECT_FALSE(exact.rounds.back());
  EXPECT_EQ(ErrorBound(sum.code, exact, exact.rounds), 0);
  EXPECT_FALSE(Evaluate(sum.code, {0x1.fffffep127, 0x1p127}).in_range);
}

TEST(QuadEvaluator, KnowsHalfPrecision) {
  EXPECT_EQ(RoundTo(2049, 16), 2048);
  EXPECT_EQ(RoundTo(2051, 16), 2052);
  EXPECT_EQ(RoundTo(0x1p-25, 16), 0);
  EXPECT_EQ(RoundTo(0x1.8p-24, 16), 0x1p-23);
  EXPECT_EQ(Neighbor(1, 1, 16), 1 + 0x1p-10);
  EXPECT_EQ(Neighbor(1, 1, 32), 1 + 0x1p-23);
}

TEST(QuadEvaluator, BoundsErrorsByDerivatives) {
  const Compiled product = CodeOf("(('fmul@32', ('fadd@32', 'a@32', 'b@32'), 'c@32'), 'a@32')");
  const Trace trace = Evaluate(product.code, {1, 0.1f, 3});
  const std::vector<bool> all(trace.rounds.size(), true);
  // The sum and the product each contribute the result times 2^-24. Variables are not rounded.
  std::vector<bool> operations = all;
  for (size_t i = 0; i < operations.size(); ++i) operations[i] = product.code.steps[i].op != Op::kVariable;
  EXPECT_NEAR(static_cast<double>(ErrorBound(product.code, trace, operations)), 2 * 3.3 * 0x1p-24, 1e-9);
}

TEST(Contracted, FollowsTheDriver) {
  const Compiled sum = CodeOf("(('fadd@32', ('fabs', ('fmul', 'a@32', 'b@32')), 'c@32'), 'a@32')");
  const std::vector<bool> none(3, false), constants{true, false, true}, factors{true, true, false};
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true}, none), Op::kFma), 1u);
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true, .through_abs = false}, none), Op::kFma), 0u);
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true, .keeps_constants = true}, none), Op::kFma), 1u);
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true}, constants), Op::kFma), 1u);
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true, .keeps_constants = true}, constants), Op::kFma), 0u);
  EXPECT_EQ(Count(Contracted(sum.code, {.enabled = true}, factors), Op::kFma), 0u);  // the product is folded
  const Compiled shared = CodeOf("(('fadd@32', ('fadd', ('fmul', 'a@32', 'b@32'), 'c@32'), ('fmul', a, b)), 'a@32')");
  EXPECT_EQ(Count(Contracted(shared.code, {.enabled = true}, none), Op::kFma), 2u);
  EXPECT_EQ(Count(Contracted(shared.code, {.enabled = true, .several_uses = false}, none), Op::kFma), 0u);
  const Compiled lerp = CodeOf("(('flrp@32', 'a@32', 'b@32', 'c@32'), 'a@32')");
  EXPECT_EQ(Count(Contracted(lerp.code, {.enabled = true}, none), Op::kFma), 0u);
}

}  // namespace
}  // namespace rewrought::accuracy
