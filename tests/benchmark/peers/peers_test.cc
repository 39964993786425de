// Tests that the benchmark runs its smallest workload, that its check of the results detects a wrong rule, and that it
// can read a peer's rules.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "ir/text/rule_text.h"
#include "tests/benchmark/peers/measure.h"
#include "tests/benchmark/peers/other_rules.h"
#include "tests/benchmark/peers/workloads.h"

namespace rewrought::peers {
namespace {

const std::vector<ir::DenormMode> kModes = enumerator::SweepOptions().modes;

Measured MeasureSmallest(const OtherRules& others = {}) {
  const absl::StatusOr<Measured> measured = Measure(AllWorkloads().front(), verifier::Solvers(), others, 1);
  EXPECT_TRUE(measured.ok()) << measured.status();
  return *measured;
}

TEST(Peers, RunsTheSmallestWorkload) {
  const Measured measured = MeasureSmallest();
  EXPECT_EQ(measured.report.run_statistics.distinct(), 59u);  // cvc5's count
  EXPECT_LE(measured.report.rules.size(), 20u);               // Ruler's count
  EXPECT_EQ(measured.report.underived, 0u);
  EXPECT_TRUE(measured.wrong.empty());
  EXPECT_GT(measured.seconds, 0);
  EXPECT_GT(measured.peak_bytes, 1e6);
  std::stringstream tables;
  PrintTables({measured}, tables);
  EXPECT_TRUE(absl::StrContains(tables.str(), "| bool-2 | Ruler | 20 |")) << tables.str();
  EXPECT_FALSE(absl::StrContains(tables.str(), "WRONG"));
}

TEST(Peers, AWrongRuleIsCaught) {
  Measured measured = MeasureSmallest();
  pipeline::EnumeratedRule wrong = measured.report.rules.front();
  wrong.search = "('iand', 'a', ('ior', 'b', 'c'))";  // the check uses the printed text, not the terms
  wrong.replace = "('ior', ('iand', 'a', 'b'), 'c')";
  measured.report.rules.push_back(wrong);
  measured.wrong = WrongRules(measured.report, kModes);
  ASSERT_EQ(measured.wrong.size(), 1u);
  std::stringstream tables;
  PrintTables({measured}, tables);
  EXPECT_TRUE(absl::StrContains(tables.str(), "WRONG bool-2")) << tables.str();
  measured.report.rules.back() = measured.report.rules.front();
  measured.report.rules.back().verdicts.front().second = "unknown";
  EXPECT_EQ(WrongRules(measured.report, kModes).size(), 1u);
  // The check also works for floats at 32 bits.
  const auto refuted = [](const char* search, const char* replace) {
    pipeline::EnumerateReport report;
    report.rules.emplace_back();
    report.rules.back().verdicts = {{32, "proved"}};
    report.rules.back().search = search;
    report.rules.back().replace = replace;
    return WrongRules(report, kModes).size();
  };
  EXPECT_EQ(refuted("('fadd@32', 'a@32', 0.0)", "'a@32'"), 1u);
  EXPECT_EQ(refuted("('fadd@32', 'a@32', 'b@32')", "('fadd@32', 'b@32', 'a@32')"), 0u);
  EXPECT_EQ(refuted("('fadd@32', 'a@32'", "'a@32'"), 1u);
}

// Regression: `enumerate` once lowered 1.0 and -0.0 to 0, so that -(1.0) = -1.0 was refuted.
TEST(Peers, FloatConstantsAreProvedAsTheyAre) {
  Workload workload{"small", "small", FindWorkload("fp32-1")->options, {}};
  workload.options.ops = {"fneg"};
  workload.options.variables = 1;
  workload.options.modes = kModes;
  const double minus = -1;
  workload.options.constants = {workload.options.constants[2], {true, std::bit_cast<int64_t>(minus)}};
  const absl::StatusOr<Measured> measured = Measure(workload, verifier::Solvers(), {}, 1);
  ASSERT_TRUE(measured.ok()) << measured.status();
  std::set<std::string> rules;
  for (const pipeline::EnumeratedRule& rule : measured->report.rules) rules.insert(rule.search + " " + rule.replace);
  EXPECT_EQ(rules, (std::set<std::string>{"('fneg', 1.0) -1.0", "('fneg', -1.0) 1.0"}));
  EXPECT_TRUE(measured->wrong.empty());
}

TEST(Peers, ReadsRulesOfOthers) {
  const auto rules = ReadOtherRules(
      "(& ?a ?b) ==> (& ?b ?a)\n(& ?b ?a) ==> (& ?a ?b)\n?a <=> (~ (~ ?a))\n\n(| ?a (& ?a ?b)) => ?a\n", 1);
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_EQ(rules->size(), 3u);
  EXPECT_EQ(ir::PrintTerm((*rules)[1].first), "('inot@1', ('inot@1', 'a@1'))");
  EXPECT_EQ(ir::PrintTerm((*rules)[1].second), "'a@1'");
  const Measured measured = MeasureSmallest(*rules);
  EXPECT_TRUE(measured.report.others_not_known.empty());
  EXPECT_GT(measured.report.not_from_others.size(), 0u);
  EXPECT_LT(measured.report.not_from_others.size(), measured.report.rules.size());
  const auto wrong = ReadOtherRules("(& ?a ?b) ==> (| ?a ?b)", 1);
  ASSERT_TRUE(wrong.ok());
  EXPECT_EQ(MeasureSmallest(*wrong).report.others_not_known.size(), 1u);
  for (const char* bad : {"(& ?a ?b)", "(& ?a) ==> ?a", "(? ?a ?b) ==> ?a", "(& ?a ?b ==> ?a", "(& ?a ?z) ==> ?a",
                          "?a ?b ==> ?a", "(& ?a ?b)) ==> ?a", "==> ?a"}) {
    EXPECT_FALSE(ReadOtherRules(bad, 1).ok()) << bad;
  }
}

}  // namespace
}  // namespace rewrought::peers
