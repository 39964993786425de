#include "tests/benchmark/peers/stp/stp_measure.h"

#include <gtest/gtest.h>

#include <sstream>

#include "absl/strings/match.h"

namespace rewrought::peers {
namespace {

// A solver that claims to prove everything.
class Believer : public verifier::Solver {
 public:
  verifier::SolverAnswer Solve(const verifier::SolverQuery&) override { return {.answer = verifier::Answer::kUnsat}; }
  std::string name_and_version() override { return "believer"; }
};

TEST(StpMeasure, PrintsARowBesideStps) {
  Believer believer;
  const std::vector<StpMeasured> all = {MeasureStp(StpWorkloads().front(), &believer, 3)};
  EXPECT_EQ(all[0].Confirmed(), 140u);
  EXPECT_TRUE(all[0].wrong.empty());
  std::stringstream text;
  PrintStpTables(all, text);
  EXPECT_TRUE(absl::StrContains(text.str(), "| stp-space-1 | 368 | 1730 | 438 | 140 | 140 |")) << text.str();
  EXPECT_TRUE(absl::StrContains(text.str(), "| stp-space-1 | STP | 1730 | 1730 | 140 | 140 | 1 | 23 |")) << text.str();
  EXPECT_TRUE(absl::StrContains(text.str(), "| stp-space-1 | 32 | 140 | 0 | 0 | 0 |")) << text.str();
  EXPECT_FALSE(absl::StrContains(text.str(), "WRONG"));
}

TEST(StpMeasure, RunsWhatIsNamed) {
  EXPECT_TRUE(IsStpName("stp-space") && IsStpName("stp-space-2"));
  EXPECT_FALSE(IsStpName("stp") || IsStpName("stp-2"));
  std::stringstream log, text;
  PrintStpTables(MeasureStpWorkloads({"bool-2"}, verifier::Solvers(), 1, log), text);
  EXPECT_EQ(log.str() + text.str(), "");
}

TEST(StpMeasure, WithoutASolverAllIsUnknown) {
  const StpMeasured measured = MeasureStp(StpWorkloads().front(), verifier::Solvers(), 1);
  EXPECT_EQ(measured.at_16.Count(FloatVerdict::kUnknown), 140u);
  EXPECT_EQ(measured.unknown.size(), 280u);
  EXPECT_TRUE(measured.wrong.empty());
}

TEST(StpMeasure, EvaluationSeesAPlantedRule) {
  std::vector<FloatRule> rules = SearchFloatSpace(1).rules;
  ASSERT_TRUE(WrongAt16(rules).empty());
  for (FloatRule& rule : rules) {
    if (rule.Describe() == "(fp.add {RTN} x +0) -> x") rule.modes = 1;
  }
  const std::vector<std::string> wrong = WrongAt16(rules);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0], "(fp.add {RNE} x +0) -> x: x = 0x8000 of 16 bits");
}

}  // namespace
}  // namespace rewrought::peers
