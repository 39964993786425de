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
  trial.set_time(1000);
  trial.set_instructions(5000);
  v1::RuleTrial::Place* place = trial.add_places();
  for (v1::RuleTrial::Effect* effect : {place->mutable_alone(), place->mutable_in_set()}) {
    effect->set_time(change);
    effect->set_instructions(-10);
  }
  place->set_chosen(chosen);
  trial.mutable_example()->set_place("before_late");
  trial.mutable_example()->set_program("some/<p>.frag");
  trial.mutable_example()->set_shader("alone fragment");
  trial.mutable_example()->set_before(34);
  trial.mutable_example()->set_after(33);
  trial.mutable_example()->set_number("time");
  trial.mutable_example()->set_code(code);
  return rule;
}

void AddNumber(const std::string& name, double before, double change, v1::DriverTrial::Figures* figures) {
  v1::DriverNumber* number = figures->add_numbers();
  number->set_name(name);
  number->set_before(before);
  number->set_change(change);
  number->set_better(change < 0 ? 3 : 1);
  number->set_worse(change > 0 ? 5 : 2);
  number->set_better_high(name == "waves");
  number->set_main(name != "<cat0>");
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
  figures->set_gained(held_out ? 3 : 0);
  AddNumber("time", of, change, figures);
  AddNumber("inst", of, 0, figures);
  AddNumber("waves", 16, -4, figures);
  AddNumber("<cat0>", 7, 1, figures);
}

class DriverReportTest : public testing::Test {
 protected:
  DriverReportTest() {
    trial_.set_driver("ir3-a630");
    trial_.set_instructions_name("non-nops");
    trial_.set_time("inst + <stalls>");
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
       {"driver ir3-a630: 5 rules tried, 3 chosen", "    time = inst + <stalls>\n",
        "discovery chosen      time 400 -> 380 (-5.00%; 9 better, 6 worse)  by more than 1%: helped 12 HURT 0 of 30\n",
        "        inst 400 -> 400 (+0.00%; 3 better, 6 worse)  waves 48 -> 36 (-25.00%; 9 better, 6 worse)\n",
        "held out  chosen      time 200 -> 203 (+1.50%; 1 better, 5 worse)",
        "helped 4 HURT 0 of 10  LOST 1  GAINED 3  loops changed in 2 more\n",
        "time by source:  godot -10.00%  three -3.33%\n", "time by stage:  fragment -6.00%  vertex -4.00%\n",
        "on all discovery sources: Spearman",
        "3 rules save time: the best 1 account for half of the savings, the best 2 for nine tenths", "-6.0000%",
        "before_late in some/<p>.frag (alone fragment): 34 -> 33 time",
        "          ...\n           keep 3\n           keep 4\n          -mul a\n          -add b\n          +fma c\n"
        "           keep 5\n           keep 6\n    ",
        "hurt most", "+2.0000%"}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << " in " << text;
  }
  EXPECT_FALSE(absl::StrContains(text, "keep 7")) << text;
}

TEST_F(DriverReportTest, ThePageHasPlotsAndAllOfTheCodeEscaped) {
  const std::string html = DriverHtml(DriverReportsOf(rules_, {trial_})[0]);
  for (const char* part : {"<th>loops changed</th>",
                           "<h3>Gain by source",
                           "<h3>Gain by stage",
                           "&lt;kodi&gt;",
                           "+1.50%",
                           "class=\"bar worse\"",
                           "<h3>Gain by rank</h3>",
                           "3 rules</text>",
                           "10.00%</text>",
                           "<span> keep &lt;1&gt;</span>",
                           "<span class=\"minus\">-mul a</span>",
                           "<span class=\"plus\">+fma c</span>",
                           "<span> keep 8</span>",
                           "some/&lt;p&gt;.frag",
                           "34 &rarr; 33 time",
                           "<p>time = inst + &lt;stalls&gt;</p>",
                           "<td>held out</td><td>chosen</td><td>waves (higher is better)</td>",
                           "<td class=\"n hurt\">-25.00%</td>",
                           "All other numbers that change",
                           "<td>&lt;cat0&gt;</td>"}) {
    EXPECT_TRUE(absl::StrContains(html, part)) << part << " in " << html;
  }
  EXPECT_FALSE(absl::StrContains(html, "<kodi>"));
}

TEST_F(DriverReportTest, RulesThatSaveInstructionsButNoTimeAreNamed) {
  std::vector<MeasuredRule> rules = rules_;
  v1::RuleTrial::NoTime* no_time = rules[3].trials[0].mutable_no_time();
  no_time->set_place("main_<rest>");
  for (const auto& [name, change] :
       {std::pair("time", 2.0), {"non-nops", -10.0}, {"nops", 12.0}, {"waves", -8.0}, {"full", -1.0}}) {
    v1::DriverNumber* number = no_time->add_numbers();
    number->set_name(name);
    number->set_change(change);
    number->set_better_high(std::string(name) == "waves");
  }
  rules[4].trials[0].mutable_no_time()->set_place("after_late");
  const DriverReport driver = DriverReportsOf(rules, {trial_})[0];
  const std::string text = DriverText(driver), html = DriverHtml(driver);
  for (const std::string& part :
       {std::string("  2 rules save instructions (non-nops) but no time:\n"),
        absl::StrCat("    ", rules[3].row.rule.id.hex().substr(0, 12),
                     " time +2, non-nops -10 at main_<rest>; worse: nops +12, waves -8  ('idle'"),
        std::string("time +0, non-nops +0 at after_late; no other number gets worse")}) {
    EXPECT_TRUE(absl::StrContains(text, part)) << part << " in " << text;
  }
  EXPECT_TRUE(absl::StrContains(html, "time +2, non-nops -10 at main_&lt;rest&gt;; worse: nops +12, waves -8")) << html;
  EXPECT_FALSE(absl::StrContains(DriverText(DriverReportsOf(rules_, {trial_})[0]), "but no time"));
}

TEST_F(DriverReportTest, ATrialOfAnOlderVersionIsTold) {
  trial_.clear_time();
  for (v1::DriverTrial::Figures& figures : *trial_.mutable_figures()) figures.clear_numbers();
  const DriverReport driver = DriverReportsOf(rules_, {trial_})[0];
  const std::string told = "the trial is of an older version, which did not estimate time; run `rewrought trial` again";
  EXPECT_TRUE(absl::StrContains(DriverText(driver), told)) << DriverText(driver);
  EXPECT_TRUE(absl::StrContains(DriverHtml(driver), told));
  EXPECT_FALSE(absl::StrContains(DriverText(driver), "0 -> 0"));
  EXPECT_FALSE(absl::StrContains(DriverHtml(driver), "Gain by source"));
  EXPECT_EQ(TimeText(v1::DriverTrial()), "");
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
  EXPECT_TRUE(absl::StrContains(before, " 0 cycles modelled  -6.0000% time measured  ('first'")) << before;
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
  constexpr char kLine[] =
      "Spearman -1.00 with time and 0.00 with instructions for 5 applied rules, 0.00 and 0.00 for 1 rules applied at "
      "least 10 times";
  EXPECT_TRUE(absl::StrContains(text, absl::StrCat("whole shaders in the model of ir3_<a6xx>: ", kLine, "\n"))) << text;
  EXPECT_TRUE(absl::StrContains(text, " -28 instructions modelled  +2.0000% time measured  ('hurts'")) << text;
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
