#include "store/rule_store.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

class RuleStoreTest : public testing::Test {
 protected:
  void PutWorth(const RuleRecord& rule, double cycles) {
    ASSERT_OK(rules_.PutRule(rule));
    MeasurementRecord measurement;
    measurement.rule = rule.id;
    measurement.tuned_cycles = cycles;
    ASSERT_OK(rules_.PutMeasurement(measurement));
  }

  // Returns the search sides of all pages, one page per line.
  std::string Pages(RuleStore::Query query) {
    std::string text;
    do {
      const auto page = rules_.List(query);
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok()) return text;
      for (const RuleRecord& rule : page->rules) text += rule.search + " ";
      text += "\n";
      query.page_token = page->next_page_token;
    } while (!query.page_token.empty());
    return text;
  }

  std::unique_ptr<Store> store_ = OpenStore(NewPath());
  RuleStore rules_{store_.get()};
};

TEST_F(RuleStoreTest, RuleComesBack) {
  ASSERT_OK(RunStore(store_.get()).CreateRun(RunOf("night", 1)));
  RuleRecord rule = RuleOf("s", "r");
  rule.program = "[ADD(r(F), a(F), b(F)).sat()]";
  rule.condition = "options->lower_x";
  rule.flags = 5;
  rule.rule_class = v1::RULE_CLASS_INEXACT;
  rule.generalised_from = D("parent");
  rule.created_run = "night";
  rule.detail = std::string("\0x", 2);
  rule.ops = {"fsat", "fadd", "fadd"};
  ASSERT_OK(rules_.PutRule(rule));
  const auto found = rules_.GetRule(rule.id.hex());
  ASSERT_OK(found.status());
  EXPECT_EQ(found->program, rule.program);
  EXPECT_EQ(found->condition, rule.condition);
  EXPECT_EQ(found->flags, 5u);
  EXPECT_EQ(found->rule_class, v1::RULE_CLASS_INEXACT);
  EXPECT_EQ(found->generalised_from, rule.generalised_from);
  EXPECT_FALSE(found->fragment.has_value());
  EXPECT_EQ(found->created_run, "night");
  EXPECT_EQ(found->created, rule.created);
  EXPECT_EQ(found->detail, rule.detail);
  EXPECT_EQ(found->ops, std::vector<std::string>({"fadd", "fsat"}));
  rule.created_run = "no such night";
  EXPECT_TRUE(absl::IsNotFound(rules_.PutRule(rule)));
}

TEST_F(RuleStoreTest, FoundAgainKeepsItsStateAndOrigin) {
  RuleRecord rule = RuleOf("s", "r");
  ASSERT_OK(rules_.PutRule(rule));
  ASSERT_OK(rules_.SetState(rule.id, v1::RULE_STATE_WAIVED, "too noisy"));
  rule.created = absl::FromUnixSeconds(2000);
  rule.detail = "new detail";
  ASSERT_OK(rules_.PutRule(rule));
  const auto found = rules_.GetRule(rule.id.hex());
  EXPECT_EQ(found->state, v1::RULE_STATE_WAIVED);
  EXPECT_EQ(found->reason, "too noisy");
  EXPECT_EQ(found->created, absl::FromUnixSeconds(1000));
  EXPECT_EQ(found->detail, "new detail");
  EXPECT_TRUE(absl::IsNotFound(rules_.SetState(D("none"), v1::RULE_STATE_LOST, "")));
}

TEST_F(RuleStoreTest, TrialsComeBackByDriverAndAreReplaced) {
  const RuleRecord rule = RuleOf("s", "r");
  ASSERT_OK(rules_.PutRule(rule));
  v1::RuleTrial trial;
  for (const char* driver : {"v3d-42", "ir3-a630", "v3d-42"}) {
    trial.set_driver(driver);
    trial.set_instructions(trial.instructions() + 1);
    ASSERT_OK(rules_.PutTrial(rule.id, trial));
  }
  auto trials = rules_.Trials(rule.id);
  ASSERT_OK(trials.status());
  ASSERT_EQ(trials->size(), 2u);
  EXPECT_EQ((*trials)[0].driver(), "ir3-a630");
  EXPECT_EQ((*trials)[1].instructions(), 3);
  // New trials on v3d-42 remove this rule's trial on that driver, unless they are for another machine.
  const RuleRecord other = RuleOf("t", "r");
  ASSERT_OK(rules_.PutRule(other));
  v1::DriverTrial driver;
  driver.set_driver("v3d-42");
  driver.set_machine("other");
  EXPECT_EQ(*rules_.ReplaceTrials({driver}, {{other.id, trial}}), 1u);
  EXPECT_EQ(rules_.Trials(rule.id)->size(), 2u);
  driver.set_machine(rule.machine);
  for (const int tried : {2, 3}) {
    driver.set_tried(tried);
    EXPECT_EQ(*rules_.ReplaceTrials({driver}, {{other.id, trial}, {D("none"), trial}}), 1u);
  }
  EXPECT_EQ(rules_.Trials(rule.id)->size(), 1u);
  EXPECT_EQ(rules_.Trials(other.id)->size(), 1u);
  const auto drivers = rules_.DriverTrials(rule.machine);
  ASSERT_OK(drivers.status());
  ASSERT_EQ(drivers->size(), 1u);
  EXPECT_EQ((*drivers)[0].tried(), 3u);
  EXPECT_EQ(rules_.DriverTrials("other")->size(), 1u);
  EXPECT_TRUE(rules_.DriverTrials("none")->empty());
  EXPECT_TRUE(absl::IsNotFound(rules_.PutTrial(D("none"), trial)));
}

TEST_F(RuleStoreTest, IdsMayBeShortened) {
  std::vector<RuleRecord> stored;
  for (int i = 0; i < 40; ++i) {
    stored.push_back(RuleOf(absl::StrCat("s", i), "r"));
    ASSERT_OK(rules_.PutRule(stored.back()));
  }
  for (const RuleRecord& rule : stored) {
    EXPECT_EQ(rules_.GetRule(rule.id.hex().substr(0, 13))->search, rule.search);
    EXPECT_EQ(rules_.GetRule(rule.id.hex().substr(0, 14))->search, rule.search);
  }
  // Among 40 rules, some share the first digit.
  EXPECT_TRUE(absl::IsInvalidArgument(rules_.GetRule(stored[0].id.hex().substr(0, 0)).status()));
  int several = 0;
  for (const char digit : std::string("0123456789abcdef")) {
    several += absl::IsInvalidArgument(rules_.GetRule(std::string(1, digit)).status());
  }
  EXPECT_GT(several, 0);
  EXPECT_TRUE(absl::IsInvalidArgument(rules_.GetRule("xyz").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(rules_.GetRule(std::string(65, '0')).status()));
  EXPECT_TRUE(absl::IsNotFound(rules_.GetRule(std::string(64, '0')).status()));
}

TEST_F(RuleStoreTest, ListedByWorthInPages) {
  PutWorth(RuleOf("w10", "r"), 10);
  PutWorth(RuleOf("w0.1", "r"), 0.1);
  PutWorth(RuleOf("w300", "r"), 300);
  PutWorth(RuleOf("hurts", "r"), -5);
  ASSERT_OK(rules_.PutRule(RuleOf("unmeasured", "r")));
  RuleStore::Query query;
  query.page_size = 2;
  EXPECT_EQ(Pages(query), "w300 w10 \nw0.1 unmeasured \nhurts \n");
  query.page_size = 1;
  EXPECT_EQ(Pages(query), "w300 \nw10 \nw0.1 \nunmeasured \nhurts \n");
}

TEST_F(RuleStoreTest, EqualWorthIsPagedOnceEach) {
  for (int i = 0; i < 23; ++i) PutWorth(RuleOf(absl::StrCat("s", i), "r"), 1.0 / 3.0);
  for (const RuleStore::Order order : {RuleStore::Order::kWorth, RuleStore::Order::kId}) {
    RuleStore::Query query;
    query.order = order;
    query.page_size = 100;
    std::string all = Pages(query);
    query.page_size = 4;
    std::string paged = Pages(query);
    all.erase(std::remove(all.begin(), all.end(), '\n'), all.end());
    paged.erase(std::remove(paged.begin(), paged.end(), '\n'), paged.end());
    EXPECT_EQ(paged, all);
    EXPECT_EQ(std::count(all.begin(), all.end(), ' '), 23);
  }
}

TEST_F(RuleStoreTest, Filters) {
  RuleRecord a = RuleOf("('fsat', 'a')", "x");
  a.ops = {"fsat"};
  RuleRecord b = RuleOf("('fadd', 'a', 'b')", "y", "agx_g13");
  b.rule_class = v1::RULE_CLASS_INEXACT;
  b.program = "[FADD.sat]";
  ASSERT_OK(rules_.PutRule(a));
  ASSERT_OK(rules_.PutRule(b));
  ASSERT_OK(rules_.SetState(b.id, v1::RULE_STATE_LOST, ""));
  const auto list = [&](auto change) {
    RuleStore::Query query;
    change(query);
    return Pages(query);
  };
  const std::string only_a = a.search + " \n", only_b = b.search + " \n", none = "\n";
  EXPECT_EQ(list([](auto& q) { q.machine = "agx_g13"; }), only_b);
  EXPECT_EQ(list([](auto& q) { q.op = "fsat"; }), only_a);
  EXPECT_EQ(list([](auto& q) { q.op = "fs"; }), none);
  EXPECT_EQ(list([](auto& q) { q.text = "D.sa"; }), only_b);
  EXPECT_EQ(list([](auto& q) { q.text = "%"; }), none);  // "%" is not a wildcard
  EXPECT_EQ(list([](auto& q) { q.rule_class = v1::RULE_CLASS_STRICT; }), only_a);
  EXPECT_EQ(list([](auto& q) { q.states = {v1::RULE_STATE_LOST, v1::RULE_STATE_REFUTED}; }), only_b);
  EXPECT_EQ(list([](auto& q) { q.states = {v1::RULE_STATE_KEPT}; }), none);
}

TEST_F(RuleStoreTest, ForeignPageTokensAreRefused) {
  PutWorth(RuleOf("a", "r"), 1);
  PutWorth(RuleOf("b", "r"), 2);
  RuleStore::Query query;
  query.page_size = 1;
  query.page_token = rules_.List(query)->next_page_token;
  EXPECT_TRUE(rules_.List(query).ok());
  query.order = RuleStore::Order::kId;
  EXPECT_TRUE(absl::IsInvalidArgument(rules_.List(query).status()));
  for (const char* token : {"x", "id:1:2", "id:x:y:z"}) {
    query.page_token = token;
    EXPECT_TRUE(absl::IsInvalidArgument(rules_.List(query).status())) << token;
  }
}

TEST_F(RuleStoreTest, HitsAreReplacedAndHurtComesLast) {
  CorpusStore corpus(store_.get());
  ASSERT_OK(corpus.PutSource("a", false));
  for (const char* name : {"x", "y", "z"}) ASSERT_OK(corpus.PutShader(Shader(name), {"a", name}, {}));
  const RuleRecord rule = RuleOf("s", "r");
  ASSERT_OK(rules_.PutRule(rule));
  ASSERT_OK(rules_.PutHits(rule.id, {{D("x"), 1, 1, 1, {}}}));
  ASSERT_OK(rules_.PutHits(rule.id, {{D("y"), 1, -1, -2.5, {}}, {D("z"), 3, 3, 6, {4, 5}}}));
  std::vector<HitRecord> hits;
  ASSERT_OK(rules_.ForEachHit(rule.id, 0, -1, [&](const HitRecord& hit) {
    hits.push_back(hit);
    return absl::OkStatus();
  }));
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].shader, D("z"));
  EXPECT_EQ(hits[0].lines, std::vector<int32_t>({4, 5}));
  EXPECT_EQ(hits[1].saved_cycles, -2.5);
  EXPECT_TRUE(absl::IsNotFound(rules_.PutHits(rule.id, {{D("none"), 1, 1, 1, {}}})));
  EXPECT_TRUE(absl::IsNotFound(rules_.PutHits(D("none"), {})));
}

TEST_F(RuleStoreTest, ChangesOfARun) {
  ASSERT_OK(RunStore(store_.get()).CreateRun(RunOf("night", 1)));
  const RuleRecord rule = RuleOf("s", "r");
  ASSERT_OK(rules_.PutRule(rule));
  ASSERT_OK(rules_.SetStateInRun(rule.id, v1::RULE_STATE_REFUTED, "a=0x7fc00000", "night"));
  EXPECT_TRUE(absl::IsNotFound(rules_.SetStateInRun(rule.id, v1::RULE_STATE_LOST, "", "no night")));
  EXPECT_TRUE(absl::IsNotFound(rules_.SetStateInRun(D("none"), v1::RULE_STATE_LOST, "", "night")));
  int changes = 0;
  ASSERT_OK(rules_.ForEachChange("night", [&](const ir::Digest& id, v1::RuleState state) {
    EXPECT_EQ(id, rule.id);
    EXPECT_EQ(state, v1::RULE_STATE_REFUTED);
    ++changes;
    return absl::OkStatus();
  }));
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(rules_.GetRule(rule.id.hex())->reason, "a=0x7fc00000");
}

TEST_F(RuleStoreTest, Measurements) {
  const RuleRecord rule = RuleOf("s", "r");
  PutWorth(rule, 1);
  PutWorth(rule, 2);
  MeasurementRecord discovery;
  discovery.rule = rule.id;
  discovery.split = Split::kDiscovery;
  discovery.hits = 9;
  ASSERT_OK(rules_.PutMeasurement(discovery));
  const auto measurements = rules_.Measurements(rule.id);
  ASSERT_OK(measurements.status());
  ASSERT_EQ(measurements->size(), 2u);
  EXPECT_EQ((*measurements)[0].hits, 9);
  EXPECT_EQ((*measurements)[1].tuned_cycles, 2);
  discovery.rule = D("none");
  EXPECT_TRUE(absl::IsNotFound(rules_.PutMeasurement(discovery)));
}

}  // namespace
}  // namespace rewrought::store
