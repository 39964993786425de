#include "pipeline/trial/trial.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "pipeline/trial/measured_worth.h"
#include "store/rule_store.h"
#include "store/testing/store_testing.h"

namespace rewrought::pipeline {
namespace {

using store::D;
using store::NewPath;
using store::OpenStore;
using store::RuleOf;

// Output of tools/driver_rig/trial for two rules and one driver.
constexpr char kTrial[] = R"json({"folder": "/somewhere", "drivers": [
  {"driver": "ir3-a630", "machine": "ir3_a6xx", "instructions_name": "non-nops", "compilations": 7,
   "modelled_as": "ir3_a6xx", "time": "inst + stalls", "figures": [
    {"set": "chosen", "held_out": true, "source": "godot", "shaders": 9, "gained": 1,
     "numbers": [{"name": "time", "before": 60, "change": -6, "better": 2, "worse": 1, "better_high": false,
                  "main": true}]}]}
  ], "rules": [
  {"rule": "$GOOD", "trial": {"driver": "ir3-a630", "build": "b", "instructions": 1000, "time": 500, "problem": "",
   "places": [
     {"name": "main_rest", "programs": 3, "chosen": true,
      "alone": {"instructions": -30, "time": -5, "faster": 4, "slower": 0, "helped": 3, "hurt": 0, "lost": 0},
      "in_set": {"instructions": -20, "time": 5, "helped": 2, "hurt": 1, "lost": 0}},
     {"name": "before_late", "programs": 2, "chosen": false, "alone": {"instructions": -50}}],
   "no_time": {"place": "before_late", "numbers": [{"name": "nops", "change": 7}]},
   "modelled": [{"place": "before_late", "instructions": -45, "applied": 4}],
   "example": {"place": "main_rest", "program": "p", "shader": "alone fragment",
               "before": 3, "after": 2, "code": "-a\n b"}}},
  {"rule": "$IDLE", "trial": {"driver": "ir3-a630", "instructions": 1000, "time": 500, "problem": "hang on p",
   "places": [
     {"name": "main_rest", "programs": 1, "chosen": false, "alone": {"instructions": 10, "time": 15}}]}}]})json";

class TrialTest : public testing::Test {
 protected:
  TrialTest() {
    good_.machine = idle_.machine = "ir3_a6xx";
    EXPECT_TRUE(rules_.PutRule(good_).ok());
    EXPECT_TRUE(rules_.PutRule(idle_).ok());
  }

  std::string Text() const {
    return absl::StrReplaceAll(kTrial, {{"$GOOD", good_.id.hex()}, {"$IDLE", idle_.id.hex()}});
  }

  std::string Refusal(absl::string_view text) {
    const auto kept = KeepTrials(store_.get(), text, "trial.json");
    EXPECT_TRUE(absl::IsInvalidArgument(kept.status())) << kept.status();
    EXPECT_TRUE(absl::StartsWith(kept.status().message(), "trial.json: ")) << kept.status();
    return std::string(kept.status().message());
  }

  std::unique_ptr<store::Store> store_ = OpenStore(NewPath());
  store::RuleStore rules_{store_.get()};
  store::RuleRecord good_ = RuleOf("s", "r"), idle_ = RuleOf("t", "r");
};

TEST_F(TrialTest, WhatDriversGainIsKeptAndRanks) {
  const auto kept = KeepTrials(store_.get(), Text(), "trial.json");
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(*kept, 2u);
  const auto trials = rules_.Trials(good_.id);
  ASSERT_TRUE(trials.ok()) << trials.status();
  ASSERT_EQ(trials->size(), 1u);
  EXPECT_EQ((*trials)[0].places(1).alone().instructions(), -50);
  EXPECT_EQ((*trials)[0].example().code(), "-a\n b");
  EXPECT_EQ((*trials)[0].modelled(0).instructions(), -45);
  const auto drivers = rules_.DriverTrials("ir3_a6xx");
  ASSERT_TRUE(drivers.ok()) << drivers.status();
  ASSERT_EQ(drivers->size(), 1u);
  EXPECT_EQ((*drivers)[0].figures(0).numbers(0).change(), -6);
  EXPECT_EQ((*drivers)[0].figures(0).gained(), 1u);
  EXPECT_EQ((*drivers)[0].time(), "inst + stalls");
  EXPECT_EQ((*trials)[0].no_time().numbers(0).change(), 7);
  EXPECT_EQ((*trials)[0].places(0).alone().faster(), 4u);
  EXPECT_FALSE(IsOfOlderVersion((*trials)[0]));
  EXPECT_EQ((*drivers)[0].modelled_as(), "ir3_a6xx");
  const MeasuredWorth worth = WorthOf((*trials)[0]);
  EXPECT_TRUE(worth.chosen);
  EXPECT_DOUBLE_EQ(worth.instructions, 2);
  EXPECT_DOUBLE_EQ(worth.time, -1);
  const MeasuredWorth idle = WorthOf((*rules_.Trials(idle_.id))[0]);
  EXPECT_FALSE(idle.chosen);
  EXPECT_DOUBLE_EQ(idle.instructions, -1);
  EXPECT_DOUBLE_EQ(idle.time, -3);

  std::vector<RankedRule> ranked(3);
  ranked[0].rule = idle_;
  ranked[1].rule = good_;
  ranked[2].rule = RuleOf("never tried", "r");
  const auto rows = RankByTrials(store_.get(), ranked, "");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].row.rule.id, good_.id);
  EXPECT_TRUE(RankByTrials(store_.get(), ranked, "other")->empty());
}

TEST_F(TrialTest, ASecondTrialReplacesTheFirst) {
  ASSERT_TRUE(KeepTrials(store_.get(), Text(), "trial.json").ok());
  const std::string again = absl::StrCat(
      R"({"drivers": [{"driver": "ir3-a630", "machine": "ir3_a6xx", "time": "inst"}], "rules": [{"rule": ")",
      good_.id.hex(), R"(", "trial": {"driver": "ir3-a630", "instructions": 7}}]})");
  ASSERT_TRUE(KeepTrials(store_.get(), again, "trial.json").ok());
  EXPECT_EQ(rules_.Trials(good_.id)->at(0).instructions(), 7);
  EXPECT_TRUE(rules_.Trials(idle_.id)->empty());
}

// Trials that older versions stored have instructions and cycles, but no time.
TEST_F(TrialTest, TrialsOfOlderVersionsGainNothing) {
  v1::RuleTrial old;
  old.set_driver("ir3-a630");
  old.set_instructions(1000);
  old.add_places()->set_chosen(true);
  old.mutable_places(0)->mutable_in_set()->set_instructions(-20);
  EXPECT_TRUE(IsOfOlderVersion(old));
  EXPECT_TRUE(WorthOf(old).chosen);
  EXPECT_DOUBLE_EQ(WorthOf(old).time, 0);
  EXPECT_DOUBLE_EQ(WorthOf(old).instructions, 2);
}

TEST_F(TrialTest, RulesThatTheDatabaseDoesNotHaveAreLeftOut) {
  const std::string text = absl::StrReplaceAll(Text(), {{idle_.id.hex(), D("unknown").hex()}});
  EXPECT_EQ(*KeepTrials(store_.get(), text, "trial.json"), 1u);
}

TEST_F(TrialTest, WhatIsNoTrialIsRefusedAndNothingKept) {
  Refusal("");
  Refusal("[1]");
  Refusal(std::string(100'000, '['));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{good_.id.hex(), "beef"}})), "beef"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"before_late", "nowhere"}})), "nowhere"));
  EXPECT_TRUE(
      absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"{\"place\": \"before_late\"", "{\"place\": \"some\""}})),
                        "unknown place"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"-45", "\"NaN\""}})), "modelled savings"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"-50", "\"NaN\""}})), "not numbers"));
  EXPECT_TRUE(
      absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"-6,", "\"Infinity\","}})), "figures of ir3-a630"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"\"change\": 7", "\"change\": \"NaN\""}})),
                                "changes that are not numbers"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"\"time\": 500", "\"time\": \"NaN\""}})),
                                "totals that are not numbers"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"\"time\": \"inst + stalls\", ", ""}})),
                                "older version; run the trial again"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"\"before\": 3", "\"before\": \"NaN\""}})),
                                "example whose figures"));
  EXPECT_TRUE(
      absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"-a\\n b", std::string(70'000, 'x')}})), "65536"));
  EXPECT_TRUE(absl::StrContains(Refusal(absl::StrReplaceAll(Text(), {{"\"driver\": \"ir3-a630\", \"build\"",
                                                                      "\"driver\": \"other\", \"build\""}})),
                                "a trial on other"));
  Refusal(absl::StrReplaceAll(Text(), {{"\"driver\": \"ir3-a630\"", "\"driver\": \"\""}}));
  Refusal(absl::StrReplaceAll(Text(), {{"\"machine\": \"ir3_a6xx\"", "\"machine\": \"\""}}));
  EXPECT_TRUE(rules_.Trials(good_.id)->empty());
}

TEST(TrialEditsTest, NameTheCalls) {
  EXPECT_TRUE(absl::StartsWith(TrialEdits(emitter::DefaultNirTarget()), "edits "));
  EXPECT_NE(TrialEdits(emitter::DefaultNirTarget()), TrialEdits(emitter::AllNirTargets()[0]));
}

}  // namespace
}  // namespace rewrought::pipeline
