#include "pipeline/trial/agreement.h"

#include <gtest/gtest.h>

#include "ir/digest.h"

namespace rewrought::pipeline {
namespace {

MeasuredRule RuleOf(const std::string& name, double modelled, double alone, const std::string& problem = "") {
  MeasuredRule rule;
  rule.row.rule.id = ir::Digest::Of(name);
  rule.row.rule.search = name;
  rule.row.discovery.tuned_cycles = modelled;
  v1::RuleTrial& trial = rule.trials.emplace_back();
  trial.set_driver("ir3-a630");
  trial.set_time(1000);
  trial.set_instructions(2000);
  trial.set_problem(problem);
  for (const double worse : {5.0, 0.0}) {  // only the best place counts
    v1::RuleTrial::Place* place = trial.add_places();
    place->mutable_alone()->set_time(worse - alone);
    place->mutable_alone()->set_instructions(alone - worse);
  }
  return rule;
}

TEST(Agreement, NamesWhatOnlyTheModelLikesFirst) {
  const std::vector<MeasuredRule> rules = {RuleOf("fair", 10, 10), RuleOf("good", 20, 30),
                                           RuleOf("only the model likes it", 50, -20), RuleOf("poor", 1, 5),
                                           RuleOf("bad", 1, 0, "hang on p")};
  const std::vector<DriverAgreement> drivers = AgreementOf(rules, {});
  ASSERT_EQ(drivers.size(), 1u);
  EXPECT_EQ(drivers[0].driver, "ir3-a630");
  EXPECT_EQ(drivers[0].tried, 5u);
  ASSERT_EQ(drivers[0].problems.size(), 1u);
  EXPECT_EQ(drivers[0].problems[0].second, "hang on p");
  ASSERT_EQ(drivers[0].rules.size(), 4u);
  EXPECT_EQ(drivers[0].rules[0].rule->row.rule.search, "only the model likes it");
  EXPECT_DOUBLE_EQ(drivers[0].rules[0].rank_difference, 0.75);
  EXPECT_DOUBLE_EQ(drivers[0].rules[0].measured, -2);
  EXPECT_DOUBLE_EQ(drivers[0].rules[0].measured_instructions, 1);
  // The ranks of the four rules are 1 2 3 0 and 2 3 0 1.
  EXPECT_DOUBLE_EQ(drivers[0].spearman, -0.2);
  EXPECT_DOUBLE_EQ(drivers[0].spearman_instructions, 0.2);
}

// If the time is the same at two places, the place with fewer instructions is better.
TEST(Agreement, TimeDecidesWhereTheDriverGainsMost) {
  MeasuredRule rule = RuleOf("two places", 10, 10);
  v1::RuleTrial& trial = rule.trials[0];
  const auto set = [&](int place, double time, double instructions) {
    trial.mutable_places(place)->mutable_alone()->set_time(time);
    trial.mutable_places(place)->mutable_alone()->set_instructions(instructions);
  };
  set(0, -5, 4);
  set(1, -4, -40);
  EXPECT_DOUBLE_EQ(AgreementOf({rule}, {})[0].rules[0].measured_instructions, -0.2);
  set(1, -5, -6);
  EXPECT_DOUBLE_EQ(AgreementOf({rule}, {})[0].rules[0].measured_instructions, 0.3);
}

// No shader that the driver compiles meets the rule's condition, so the sites at which the model applies the rule do
// not count.
TEST(Agreement, NothingIsModelledWhereTheDriverNeverMeetsTheCondition) {
  std::vector<MeasuredRule> rules = {RuleOf("three operands", 50, 0), RuleOf("good", 20, 30), RuleOf("fair", 10, 10)};
  EXPECT_DOUBLE_EQ(AgreementOf(rules, {})[0].spearman, -0.5);
  rules[0].trials[0].set_unmet("options->has_iadd3");
  const DriverAgreement driver = AgreementOf(rules, {})[0];
  EXPECT_DOUBLE_EQ(driver.spearman, 1);
  ASSERT_EQ(driver.unmet.size(), 1u);
  EXPECT_EQ(driver.unmet[0], std::pair(rules[0].row.rule.id.hex(), std::string("options->has_iadd3")));
}

// In the model, the rule saves five cycles per site. The driver applies one of its forms three times and the other form
// four times.
TEST(Agreement, PricesWhatTheDriverApplied) {
  MeasuredRule rule = RuleOf("both", 40, 10);
  rule.row.discovery.hits = 8;
  rule.row.held_out.hits = 2;
  rule.row.held_out.tuned_cycles = 10;
  v1::RuleTrial& trial = rule.trials[0];
  trial.mutable_places(0)->set_applied(9);  // does not count, because this is not the best place
  trial.mutable_places(1)->set_applied(3);
  v1::RuleTrial::Place* place = trial.add_places();
  place->set_stages(v1::RuleTrial::STAGES_POSITIONS);
  place->set_applied(4);
  EXPECT_DOUBLE_EQ(AgreementOf({rule}, {})[0].rules[0].as_applied, 35);
  rule.row.discovery.hits = rule.row.held_out.hits = 0;
  EXPECT_DOUBLE_EQ(AgreementOf({rule}, {})[0].rules[0].as_applied, 0);
}

TEST(Agreement, FormsOfARuleAddUp) {
  MeasuredRule rule = RuleOf("both", 10, 10);
  v1::RuleTrial::Place* place = rule.trials[0].add_places();
  place->set_stages(v1::RuleTrial::STAGES_POSITIONS);
  place->mutable_alone()->set_time(-20);
  EXPECT_DOUBLE_EQ(AgreementOf({rule}, {})[0].rules[0].measured, 3);
}

// Whole shaders are compared at the place where the driver gains most, not at the model's best place.
TEST(Agreement, ComparesWholeShadersWhereTheDriverDoesBest) {
  std::vector<MeasuredRule> rules;
  v1::DriverTrial driver;
  driver.set_driver("ir3-a630");
  const auto add = [&](const std::string& name, double measured, uint64_t applied, double there, double elsewhere) {
    v1::RuleTrial& trial = rules.emplace_back(RuleOf(name, 0, measured)).trials[0];
    for (int i = 0; i < 2; ++i) {
      trial.mutable_places(i)->set_name(i == 0 ? "main_rest" : "before_late");
      trial.mutable_places(i)->set_applied(applied);
      v1::RuleTrial::Modelled* modelled = trial.add_modelled();
      modelled->set_place(trial.places(i).name());
      modelled->set_instructions(-(i == 0 ? elsewhere : there));
    }
  };
  add("a", 10, 20, 7, 1000);
  add("b", 20, 30, 9, 0);
  add("c", 30, 10, 8, 500);
  add("once", 40, 1, 0, 0);
  rules.push_back(RuleOf("nowhere applied", 0, 0));
  rules.back().trials[0].clear_places();
  rules.back().trials[0].add_modelled()->set_instructions(-50);
  EXPECT_EQ(AgreementOf(rules, {driver})[0].applied, 0u);  // the trial used no model
  driver.set_modelled_as("ir3_a6xx");
  const DriverAgreement with = AgreementOf(rules, {driver})[0];
  EXPECT_EQ(with.modelled_as, "ir3_a6xx");
  EXPECT_EQ(with.applied, 4u);
  EXPECT_EQ(with.applied_often, 3u);
  EXPECT_DOUBLE_EQ(with.spearman_applied_often_instructions, -0.5);  // in the test, time falls as instructions rise
  EXPECT_DOUBLE_EQ(with.spearman_whole_shaders_instructions, 0.4);
  EXPECT_DOUBLE_EQ(with.spearman_applied_often, 0.5);   // the ranks are 0 1 2 and 0 2 1
  EXPECT_DOUBLE_EQ(with.spearman_whole_shaders, -0.4);  // the ranks are 0 1 2 3 and 1 3 2 0
  EXPECT_EQ(with.rules[0].rule->row.rule.search, "once");
  EXPECT_DOUBLE_EQ(with.rules[0].rank_difference, -0.8);
  EXPECT_EQ(with.rules[1].rule->row.rule.search, "nowhere applied");
  EXPECT_DOUBLE_EQ(with.rules[1].whole_shaders, 50);
  EXPECT_DOUBLE_EQ(with.rules[1].rank_difference, 0.8);
  rules.back().trials[0].set_unmet("options->has_iadd3");
  for (const ModelledAndMeasured& rule : AgreementOf(rules, {driver})[0].rules) EXPECT_LT(rule.whole_shaders, 50);
}

// The model's savings in shaders that the driver never compiled do not predict the driver's savings.
TEST(Agreement, ComparesOnTheSourcesOfTheTrial) {
  std::vector<MeasuredRule> rules = {RuleOf("elsewhere", 100, 0), RuleOf("here", 20, 10), RuleOf("little", 5, 5)};
  rules[0].source_cycles = {{"others", 100}};
  rules[1].source_cycles = {{"tried", 15}, {"others", 5}};
  rules[2].source_cycles = {{"tried", 2}, {"held", 3}};
  v1::DriverTrial trial;
  trial.set_driver("ir3-a630");
  for (const char* source : {"tried", "unknown", "held"}) {
    trial.add_figures()->set_source(source);
    trial.mutable_figures(trial.figures_size() - 1)->set_held_out(std::string(source) == "held");
  }
  const std::vector<DriverAgreement> drivers = AgreementOf(rules, {trial});
  ASSERT_EQ(drivers.size(), 1u);
  EXPECT_EQ(drivers[0].sources, std::vector<std::string>{"tried"});
  EXPECT_DOUBLE_EQ(drivers[0].spearman, 1);
  EXPECT_DOUBLE_EQ(AgreementOf(rules, {})[0].spearman, -0.5);
}

}  // namespace
}  // namespace rewrought::pipeline
