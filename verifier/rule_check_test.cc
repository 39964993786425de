// Tests the cases of a rule and their combined verdict without solvers: vectors and exhaustive evaluation decide these
// cases.
#include "verifier/rule_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ir/text/rule_text.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

RuleVerdict Check(absl::string_view text, const RuleCheckOptions& options) {
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(std::string(text));
  EXPECT_TRUE(rule.ok()) << rule.status();
  absl::StatusOr<RuleVerdict> verdict = CheckRule(Prover({}, {}), *rule, options);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return *std::move(verdict);
}

TEST(CombineVerdicts, TheWorstCaseSpeaksForTheRule) {
  using V = std::vector<v1::Verdict>;
  const auto combined = [](const V& verdicts) {
    std::vector<CheckedCase> cases(verdicts.size());
    for (size_t i = 0; i < verdicts.size(); ++i) cases[i].result.verdict = verdicts[i];
    return CombineVerdicts(cases);
  };
  EXPECT_EQ(combined({}), v1::VERDICT_UNSUPPORTED);
  EXPECT_EQ(combined({v1::VERDICT_VACUOUS}), v1::VERDICT_VACUOUS);
  EXPECT_EQ(combined({v1::VERDICT_VACUOUS, v1::VERDICT_PROVED}), v1::VERDICT_PROVED);
  EXPECT_EQ(combined({v1::VERDICT_PROVED, v1::VERDICT_UNSUPPORTED}), v1::VERDICT_UNSUPPORTED);
  EXPECT_EQ(combined({v1::VERDICT_UNSUPPORTED, v1::VERDICT_UNKNOWN}), v1::VERDICT_UNKNOWN);
  EXPECT_EQ(combined({v1::VERDICT_UNKNOWN, v1::VERDICT_REFUTED, v1::VERDICT_PROVED}), v1::VERDICT_REFUTED);
}

TEST(CheckRule, WidthsAreThoseAskedFor) {
  RuleCheckOptions options;
  options.widths = {8, 16};
  std::set<int> widths;
  for (const CheckedCase& one : Check("(('iadd', 'a', 0), 'a')", options).cases) widths.insert(one.width);
  EXPECT_EQ(widths, (std::set<int>{8, 16}));
}

// Relations between constants are preconditions: vectors satisfy them, and unsatisfiable ones make the rule vacuous.
TEST(CheckRule, RelationsAreAssumed) {
  RuleCheckOptions options;
  options.widths = {8};
  const auto verdict = [&](const std::string& relation) {
    return Check("(('where', ('umin', ('umin', 'a', '#b'), '#c'), " + relation + "), ('umin', 'a', 'b'))", options)
        .verdict;
  };
  EXPECT_EQ(Check("(('umin', ('umin', 'a', '#b'), '#c'), ('umin', 'a', 'b'))", options).verdict, v1::VERDICT_REFUTED);
  EXPECT_NE(verdict("('ult', 'b', 'c')"), v1::VERDICT_REFUTED);
  EXPECT_EQ(verdict("('uge', 'b', 'c')"), v1::VERDICT_REFUTED);
  EXPECT_EQ(verdict("('ult', 'c', 'b')"), v1::VERDICT_REFUTED);
  const RuleVerdict refuted = Check("(('where', ('umin', 'a', '#b'), ('uge', 'b', 200)), 'a')", options);
  ASSERT_EQ(refuted.verdict, v1::VERDICT_REFUTED);
  for (const WitnessVariable& variable : refuted.cases[0].result.witness->variables) {
    EXPECT_TRUE(variable.name != "b" || variable.value >= 200) << variable.value;  // witnesses satisfy the relation too
  }
  options.widths = {1};
  EXPECT_EQ(verdict("('ult', 'b', 'b')"), v1::VERDICT_UNKNOWN);  // without solvers, vacuity is not decided
}

TEST(CheckRule, ModesMatterWhereFloatsAre) {
  RuleCheckOptions options;
  options.widths = {16};
  options.modes = {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush};
  EXPECT_EQ(Check("(('fmul', 'a', 'b'), ('fmul', 'b', 'a'))", options).cases.size(), 3u);
  const RuleVerdict integers = Check("(('imul', 'a', 'b'), ('imul', 'b', 'a'))", options);
  ASSERT_EQ(integers.cases.size(), 1u);
  EXPECT_EQ(integers.cases[0].mode, ir::DenormMode::kNone);
}

// A condition fixes the mode of one size of floats, and says nothing about the others.
TEST(CheckRule, CertainModesApplyToFloatsOfTheirSize) {
  RuleCheckOptions options;
  options.certain_modes = {{16, ir::DenormMode::kFlush}};
  using M = std::set<std::pair<int, ir::DenormMode>>;
  const auto modes = [&](absl::string_view rule) {
    M modes;
    for (const CheckedCase& one : Check(rule, options).cases) modes.emplace(one.width, one.mode);
    return modes;
  };
  constexpr ir::DenormMode kAny = ir::DenormMode::kAny, kFlush = ir::DenormMode::kFlush,
                           kPreserve = ir::DenormMode::kPreserve;
  const char* const sum = "(('fadd', 'a', 'b'), ('fadd', 'b', 'a'))";
  EXPECT_EQ(modes(sum), (M{{16, kFlush}, {32, kAny}, {64, kAny}}));
  const char* const both_sizes = "(('f2f32', ('fadd@16', 'a', 'b')), ('f2f32', ('fadd', 'b', 'a')))";
  EXPECT_EQ(modes(both_sizes), (M{{32, kAny}, {32, kFlush}}));
  options.certain_modes[32] = kFlush;
  EXPECT_EQ(modes(both_sizes), (M{{32, kFlush}}));
  options.certain_modes[32] = kPreserve;
  EXPECT_EQ(modes(both_sizes), (M{{32, kAny}, {32, kFlush}, {32, kPreserve}}));
  EXPECT_EQ(modes("(('iadd@16', 'a', 'b'), ('iadd', 'b', 'a'))"), (M{{16, ir::DenormMode::kNone}}));
}

TEST(CheckRule, StopsAtTheFirstRefutationIfAsked) {
  RuleCheckOptions options;
  const RuleVerdict all = Check("(('iadd', 'a', 1), 'a')", options);
  EXPECT_EQ(all.verdict, v1::VERDICT_REFUTED);
  EXPECT_GT(all.cases.size(), 1u);
  options.stop_at_refuted = true;
  const RuleVerdict first = Check("(('iadd', 'a', 1), 'a')", options);
  EXPECT_EQ(first.verdict, v1::VERDICT_REFUTED);
  EXPECT_EQ(first.cases.size(), 1u);
}

TEST(CheckRule, WhatWasCutShortIsNotProved) {
  std::stop_source stop;
  stop.request_stop();
  ProverOptions options;
  options.cancel = stop.get_token();
  const absl::StatusOr<RuleVerdict> verdict =
      CheckRule(Prover({}, options), *ir::ParseRule("(('iadd', 'a', 0), 'a')"), {});
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->verdict, v1::VERDICT_UNKNOWN);
  EXPECT_EQ(verdict->cases[0].result.reason, "cancelled");
}

TEST(CheckRule, ComparesPolynomialsWithoutASolver) {
  const Prover prover(Solvers(), ProverOptions{});
  const auto verdict_of = [&](const char* text) {
    const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *ir::ParseRule(text), RuleCheckOptions{});
    EXPECT_TRUE(verdict.ok()) << text;
    return verdict->verdict;
  };
  EXPECT_EQ(verdict_of("(('iadd', ('imul', a, b), ('imul', a, c)), ('imul', a, ('iadd', b, c)))"), v1::VERDICT_PROVED);
  EXPECT_EQ(verdict_of("(('iadd', ('imul', a, b), ('imul', a, c)), ('imul', b, ('iadd', a, c)))"), v1::VERDICT_REFUTED);
}

TEST(CheckRule, SparesTheCasesOfARefutedRuleAndKeepsTheirOrder) {
  RuleCheckOptions options;
  options.spare_after_refuted = true;
  const Prover prover(SharedPool(), ProverOptions{});
  const absl::StatusOr<RuleVerdict> verdict = CheckRule(prover, *ir::ParseRule("(('ishl', 'a', -32), 'a')"), options);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->verdict, v1::VERDICT_REFUTED);
  EXPECT_TRUE(std::is_sorted(verdict->cases.begin(), verdict->cases.end(),
                             [](const CheckedCase& x, const CheckedCase& y) { return x.width < y.width; }));
  EXPECT_EQ(verdict->cases.back().width, 64);
  EXPECT_EQ(verdict->cases.back().result.verdict, v1::VERDICT_REFUTED);
}

TEST(MatchingSizes, RefusesCasesOfOtherSizes) {
  const ir::Term bytes = CaseOf("(('iadd', 'a@8', 'b@8'), 'a')", 0, ir::DenormMode::kNone).search;
  const ir::Term words = CaseOf("(('iadd', 'a@16', 'b@16'), 'a')", 0, ir::DenormMode::kNone).search;
  EXPECT_TRUE(MatchingSizes(bytes)(bytes).ok());
  EXPECT_FALSE(MatchingSizes(bytes)(words).ok());
}

TEST(ReadCase, InheritsFlagsIfTold) {
  const RuleCase rule = CaseOf("(('fadd(nsz)', 'a@32', 'b@32'), ('fadd', 'b', 'a'))", 0, ir::DenormMode::kAny);
  for (const bool inherit : {true, false}) {
    RuleCase rule_case = rule;
    for (ir::Node& node : rule_case.replace.nodes) node.flags = 0;
    RuleCheckOptions options;
    options.inherit_flags = inherit;
    ReadCase(options, &rule_case);
    EXPECT_EQ((rule_case.replace.root_node().flags & ir::kNoSignedZero) != 0, inherit);
  }
}

TEST(ProverOptions, BudgetsOfUninterpretedQueriesAreOnlyLowered) {
  ProverOptions options;
  options.LimitQueries(1500);
  EXPECT_EQ(options.budgets.uninterpreted[0], 1000u);
  EXPECT_EQ(options.budgets.uninterpreted[2], 1500u);
  EXPECT_EQ(options.budgets.native[0], 1500u);
  EXPECT_EQ(options.budgets.confirming, 1500u);
}

}  // namespace
}  // namespace rewrought::verifier
