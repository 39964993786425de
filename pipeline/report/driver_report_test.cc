#include "pipeline/report/driver_report.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"

namespace rewrought::pipeline {
namespace {

constexpr char kCode[] =
    " keep <1>\n keep 2\n keep 3\n keep 4\n-mul a\n-add b\n+fma c\n keep 5\n keep 6\n keep 7\n keep 8";

MeasuredRule RuleOf(const std::string& name, double change, bool chosen, const std::string& code) {
  MeasuredRule rule;
  rule.row.rule.id = ir::Digest::Of(name);
  rule.row.rule.search = "'" + name + "'";
  v1::RuleTrial& trial = rule.trials.emplace_back();
  trial.set_driver("ir3-a630");
  trial.set_instructions(1000);
  v1::RuleTrial::Place* place = trial.add_places();
  place->mutable_alone()->set_instructions(change);
  place->mutable_in_set()->set_instructions(change);
  place->set_chosen(chosen);
  trial.mutable_example()->set_place("before_late");
  trial.mutable_example()->set_program("some/<p>.frag");
  trial.mutable_example()->set_shader("alone fragment");
  trial.mutable_example()->set_before(34);
  trial.mutable_example()->set_after(33);
  trial.mutable_example()->set_code(code);
  return rule;
}

void AddFigures(v1::DriverTrial* trial, bool held_out, const std::string& source, double of, double change,
                const std::string& stage = "fragment") {
  v1::DriverTrial::Figures* figures = trial->add_figures();
  figures->set_set("chosen");
  figures->set_held_out(held_out);
  figures->set_source(source);
  figures->set_stage(stage);
  figures->set_shaders(10);
  figures->set_helped(4);
  figures->set_lost(held_out ? 1 : 0);
  figures->set_loops_changed(held_out ? 2 : 0);
  figures->set_instructions(of);
  figures->set_instructions_change(change);
  figures->set_cycles(of);
  figures->set_cycles_change(0);
}

class DriverReportTest : public testing::Test {
 protected:
  DriverReportTest() {
    trial_.set_driver("ir3-a630");
    trial_.set_instructions_name("non-nops");
    trial_.set_cycles_name("inst");
    AddFigures(&trial_, false, "godot", 100, -10);
    AddFigures(&trial_, false, "three", 100, -2);
    AddFigures(&trial_, false, "three", 200, -8, "vertex");
    AddFigures(&trial_, true, "<kodi>", 200, 3);
  }

  const std::vector<MeasuredRule> rules_ = {RuleOf("first", -60, true, kCode), RuleOf("second", -30, true, ""),
                                            RuleOf("third", -10, true, kCode), RuleOf("idle", 0, false, ""),
                                            RuleOf("hurts", 20, false, kCode)};
  v1::DriverTrial trial_;
};

TEST_F(DriverReportTest, TellsSetsSourcesRanksAndCode) {
  const std::vector<DriverReport> drivers = DriverReportsOf(rules_, {trial_});
  ASSERT_EQ(drivers.size(), 1u);
  const std::string text = DriverText(drivers[0]);
  for (const char* part :
       {"driver ir3-a630: 5 rules tried, 3 chosen", "discovery chosen      non-nops 400 -> 380 (-5.00%)",
        "inst 400 -> 400 (+0.00%)", "helped 12 HURT 0 of 30\n", "held out  chosen      non-nops 200 -> 203 (+1.50%)",
        "helped 4 HURT 0 of 10  LOST 1  loops changed in 2 more\n", "by source:  godot -10.00%  three -3.33%\n",
        "by stage:  fragment -6.00%  vertex -4.00%\n", "on all discovery sources: Spearman",
        "3 rules save instructions: the best 1 give half of the savings, the best 2 nine tenths", "-6.0000%",
        "before_late in some/<p>.frag (alone fragment): 34 -> 33 non-nops",
        "          ...\n           keep 3\n           keep 4\n          -mul a\n          -add b\n          +fma c\n"
        "           keep 5\n           keep 6\n    ",
        "hurt most", "+2.0000%"}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << " in " << text;
  }
  EXPECT_FALSE(absl::StrContains(text, "keep 7")) << text;
}

TEST_F(DriverReportTest, ThePageHasPlotsAndAllOfTheCodeEscaped) {
  const std::string html = DriverHtml(DriverReportsOf(rules_, {trial_})[0]);
  for (const char* part :
       {"<th>loops changed</th>", "<h3>Gain by source", "<h3>Gain by stage", "&lt;kodi&gt;", "+1.50%",
        "class=\"bar worse\"", "<h3>Gain by rank</h3>", "3 rules</text>", "10.00%</text>",
        "<span> keep &lt;1&gt;</span>", "<span class=\"minus\">-mul a</span>", "<span class=\"plus\">+fma c</span>",
        "<span> keep 8</span>", "some/&lt;p&gt;.frag", "34 &rarr; 33 non-nops"}) {
    EXPECT_TRUE(absl::StrContains(html, part)) << part << " in " << html;
  }
  EXPECT_FALSE(absl::StrContains(html, "<kodi>"));
}

TEST_F(DriverReportTest, ConditionsThatAreNeverMetAreCounted) {
  std::vector<MeasuredRule> rules = rules_;
  for (const size_t i : {2, 3}) rules[i].trials[0].set_unmet("options->has_<iadd3>");
  rules[4].trials[0].set_unmet("options->has_isub");
  const DriverReport driver = DriverReportsOf(rules, {trial_})[0];
  const std::string text = DriverText(driver), html = DriverHtml(driver);
  const size_t first = text.find("never applied: 2 of the rules, because no shader met options->has_<iadd3>\n");
  EXPECT_LT(first, text.find("never applied: 1 of the rules, because no shader met options->has_isub\n")) << text;
  EXPECT_TRUE(
      absl::StrContains(html, "2 of the rules, because no shader met <code>options-&gt;has_&lt;iadd3&gt;</code>"))
      << html;
}

TEST_F(DriverReportTest, WholeShadersAreComparedWhereTheModelWasAsked) {
  const std::string before = DriverText(DriverReportsOf(rules_, {trial_})[0]);
  EXPECT_TRUE(absl::StrContains(before, " 0 cycles modelled  -6.0000% instructions measured  ('first'")) << before;
  EXPECT_FALSE(absl::StrContains(before, "whole shaders")) << before;
  std::vector<MeasuredRule> rules = rules_;
  for (size_t i = 0; i < rules.size(); ++i) {
    v1::RuleTrial& trial = rules[i].trials[0];
    trial.mutable_places(0)->set_name("before_late");
    trial.mutable_places(0)->set_applied(i == 0 ? 12 : 1);
    trial.add_modelled()->set_place("before_late");
    trial.mutable_modelled(0)->set_instructions(-7 * static_cast<double>(i));
  }
  trial_.set_modelled_as("ir3_<a6xx>");
  const DriverReport driver = DriverReportsOf(rules, {trial_})[0];
  const std::string text = DriverText(driver), html = DriverHtml(driver);
  constexpr char kLine[] = "Spearman -1.00 for 5 applied rules, 0.00 for 1 rules applied at least 10 times";
  EXPECT_TRUE(absl::StrContains(text, absl::StrCat("whole shaders in the model of ir3_<a6xx>: ", kLine, "\n"))) << text;
  EXPECT_TRUE(absl::StrContains(text, " -28 instructions modelled  +2.0000% instructions measured  ('hurts'")) << text;
  EXPECT_TRUE(absl::StrContains(html, absl::StrCat("ir3_&lt;a6xx&gt;: ", kLine, ".</p>"))) << html;
  EXPECT_TRUE(absl::StrContains(html, "<th>instructions modelled</th>")) << html;
}

TEST_F(DriverReportTest, ExamplesComeFromBothEnds) {
  const std::vector<DriverReport> drivers = DriverReportsOf(rules_, {});
  const Examples one = ExamplesOf(drivers[0], 1, 1), all = ExamplesOf(drivers[0], 9, 9);
  ASSERT_EQ(one.best.size(), 1u);
  EXPECT_EQ(one.best[0]->rule->row.rule.search, "'first'");
  ASSERT_EQ(all.best.size(), 2u);  // "second" is not an example, because its trial has no code
  EXPECT_EQ(all.best[1]->rule->row.rule.search, "'third'");
  ASSERT_EQ(all.worst.size(), 1u);
  EXPECT_EQ(all.worst[0]->rule->row.rule.search, "'hurts'");
}

TEST_F(DriverReportTest, ATrialWithoutFiguresOrRulesIsTold) {
  const std::string without = DriverText(DriverReportsOf(rules_, {})[0]);
  EXPECT_TRUE(absl::StrContains(without, "driver ir3-a630: 5 rules tried")) << without;
  trial_.set_driver("v3d-42");
  const std::vector<DriverReport> both = DriverReportsOf(rules_, {trial_});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(absl::StrContains(DriverText(both[1]), "driver v3d-42: 0 rules tried")) << DriverText(both[1]);
  EXPECT_TRUE(absl::StrContains(DriverHtml(both[1]), "Driver v3d-42"));
}

}  // namespace
}  // namespace rewrought::pipeline
