#include "pipeline/report/savings_over_time.h"

#include "gtest/gtest.h"

namespace rewrought::pipeline {
namespace {

const absl::Time kBegin = absl::UnixEpoch() + absl::Hours(1);

store::RunRecord RunOf(const std::string& id, int start, int seconds) {
  store::RunRecord run;
  run.id = id;
  run.started = kBegin + absl::Seconds(start);
  run.updated = run.started + absl::Seconds(seconds);
  if (id != "first") run.ended = run.updated;
  return run;
}

RankedRule RuleOf(const std::string& run, int at, double discovery, double held_out) {
  RankedRule row;
  row.rule.created_run = run;
  row.rule.created = kBegin + absl::Seconds(at);
  row.discovery.tuned_cycles = discovery;
  row.held_out.tuned_cycles = held_out;
  return row;
}

TEST(SavingsOverTime, RunsCountOneAfterTheOther) {
  // The second run begins long after the first one ends.
  const std::vector<store::RunRecord> runs = {RunOf("second", 1000, 200), RunOf("first", 0, 100)};
  const std::vector<RankedRule> rules = {RuleOf("second", 1050, 10, 0), RuleOf("first", 30, 60, 5),
                                         RuleOf("none", 0, 20, 5), RuleOf("second", 1150, 10, -7)};
  const std::vector<SavingsAt> steps = SavingsOverTime(rules, runs);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[0].seconds, 0);  // the rule is from an unknown run
  EXPECT_EQ(steps[1].seconds, 30);
  EXPECT_EQ(steps[2].seconds, 150);
  EXPECT_EQ(steps[3].seconds, 250);
  EXPECT_EQ(steps[4].seconds, 300);
  EXPECT_EQ(steps[1].discovery, 80);
  EXPECT_EQ(steps[4].discovery, 100);
  EXPECT_EQ(steps[4].held_out, 10);  // losses do not count
  EXPECT_EQ(steps[4].rules, 4u);
  EXPECT_EQ(SavingsText(steps),
            "found over time\n"
            "        1 min     2 rules   80.0 % of the savings on discovery sources, 100.0 % on held-out sources\n"
            "        2 min     2 rules   80.0 % of the savings on discovery sources, 100.0 % on held-out sources\n"
            "        5 min     4 rules  100.0 % of the savings on discovery sources, 100.0 % on held-out sources\n");
  const std::string html = SavingsHtml(steps);
  EXPECT_NE(html.find("d=\"M50.0 190.0H50.0V154.4H86.0V47.6H230.0"), std::string::npos) << html;
  EXPECT_NE(html.find("5 min</text>"), std::string::npos);
}

TEST(SavingsOverTime, NothingGivesNothing) {
  EXPECT_TRUE(SavingsOverTime({}, {RunOf("first", 0, 100)}).empty());
  const std::vector<RankedRule> rules = {RuleOf("first", 30, 60, 5)};
  EXPECT_TRUE(SavingsOverTime(rules, {}).empty());
  EXPECT_EQ(SavingsText({}) + SavingsHtml({}), "");
  // The rule was created before its run began, because the clock was set back, and saves nothing on held-out sources.
  const std::vector<SavingsAt> steps =
      SavingsOverTime(std::vector<RankedRule>{RuleOf("first", -30, 60, 0)}, {RunOf("first", 0, 0)});
  EXPECT_EQ(steps.back().seconds, 0);
  EXPECT_NE(SavingsText(steps).find("100.0 % of the savings on discovery sources,   0.0 % on held"), std::string::npos);
  EXPECT_EQ(SavingsHtml(steps).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::pipeline
