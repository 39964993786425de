#include "store/content/content_digest.h"

#include <set>
#include <string>

#include "store/shards/merge.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

std::string Hex(const absl::StatusOr<ir::Digest>& digest) {
  EXPECT_TRUE(digest.ok()) << digest.status();
  return digest.ok() ? digest->hex() : "";
}

void Fill(Store* store, const std::string& before) {
  CorpusStore corpus(store);
  // Store another shader first, so that the row ids of the two databases differ.
  if (!before.empty()) ASSERT_OK(corpus.PutShader(Shader(before), {"mine", before}, {Site("f0", 1)}));
  ASSERT_OK(corpus.PutShader(Shader("x"), {"mine", "x"}, {Site("f1", 1)}));
}

TEST(ContentDigestTest, TheCorpusIsItsContentWhereverItLies) {
  const std::string one_path = NewPath("one.db"), two_path = NewPath("two.db");
  auto one = OpenStore(one_path), two = OpenStore(two_path);
  for (Store* store : {one.get(), two.get()}) ASSERT_OK(CorpusStore(store).PutSource("mine", false));
  Fill(one.get(), "");
  Fill(two.get(), "w");
  EXPECT_NE(Hex(CorpusDigest(one.get())), Hex(CorpusDigest(two.get())));
  ASSERT_OK(Merge(one.get(), two_path).status());
  EXPECT_EQ(Hex(CorpusDigest(one.get())), Hex(CorpusDigest(two.get())));
}

TEST(ContentDigestTest, EachChangeOfTheCorpusIsSeen) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  std::set<std::string> seen = {Hex(CorpusDigest(store.get()))};
  const auto is_new = [&] { return seen.insert(Hex(CorpusDigest(store.get()))).second; };
  EXPECT_FALSE(is_new());
  ASSERT_OK(corpus.PutSource("mine", false));
  EXPECT_TRUE(is_new());
  Fill(store.get(), "");
  EXPECT_TRUE(is_new());
  ASSERT_OK(corpus.AddOccurrence(ir::Digest::Of("x"), {"mine", "another name"}));
  EXPECT_TRUE(is_new());
  ASSERT_OK(corpus.PutSource("mine", true));
  EXPECT_TRUE(is_new());
  ASSERT_OK(corpus.PutShader(Shader("x", "extraction 2"), {"mine", "x"}, {Site("f1", 1)}));
  EXPECT_TRUE(is_new());
  EXPECT_FALSE(is_new());
}

TEST(ContentDigestTest, EachChangeOfARuleIsSeenButNotWhenItWasFound) {
  auto store = OpenStore(NewPath());
  RuleStore rules(store.get());
  RuleRecord rule = RuleOf("('iadd', 'a', 0)", "a", "vc4");
  rule.state = v1::RULE_STATE_NEW;
  const std::string none = Hex(RulesDigest(store.get(), "vc4"));
  ASSERT_OK(rules.PutRule(rule));
  const std::string first = Hex(RulesDigest(store.get(), "vc4"));
  EXPECT_NE(first, none);
  ASSERT_OK(rules.SetState(rule.id, v1::RULE_STATE_KEPT, ""));
  EXPECT_EQ(Hex(RulesDigest(store.get(), "vc4")), first);
  ASSERT_OK(rules.PutRule(RuleOf("('imul', 'a', 0)", "0", "agx_g13")));
  EXPECT_EQ(Hex(RulesDigest(store.get(), "vc4")), first);
  ASSERT_OK(rules.SetState(rule.id, v1::RULE_STATE_DERIVED, ""));
  EXPECT_NE(Hex(RulesDigest(store.get(), "vc4")), first);
  ASSERT_OK(rules.SetState(rule.id, v1::RULE_STATE_KEPT, ""));
  rule.detail += "x";
  ASSERT_OK(rules.PutRule(rule));
  EXPECT_NE(Hex(RulesDigest(store.get(), "vc4")), first);
}

TEST(ContentDigestTest, SavingsAndVerdictsAreSeen) {
  auto store = OpenStore(NewPath());
  CorpusStore corpus(store.get());
  ASSERT_OK(corpus.PutSource("mine", false));
  Fill(store.get(), "");
  RuleStore rules(store.get());
  RuleRecord rule = RuleOf("('iadd', 'a', 0)", "a", "vc4");
  ASSERT_OK(rules.PutRule(rule));
  std::set<std::string> seen = {Hex(SavingsDigest(store.get(), "vc4"))};
  const auto is_new = [&] { return seen.insert(Hex(SavingsDigest(store.get(), "vc4"))).second; };
  MeasurementRecord measurement;
  measurement.rule = rule.id;
  measurement.tuned_cycles = 0.1;
  ASSERT_OK(rules.PutMeasurement(measurement));
  EXPECT_TRUE(is_new());
  measurement.tuned_cycles = 0.1 + 1e-15;  // all digits are significant
  ASSERT_OK(rules.PutMeasurement(measurement));
  EXPECT_TRUE(is_new());
  HitRecord hit;
  hit.shader = ir::Digest::Of("x");
  hit.hits = 1;
  ASSERT_OK(rules.PutHits(rule.id, {hit}));
  EXPECT_TRUE(is_new());
  const std::string verdicts = Hex(VerdictsDigest(store.get(), "vc4"));
  VerdictRecord verdict = VerdictOf("x", v1::VERDICT_PROVED);
  ASSERT_OK(SearchStore(store.get()).PutVerdict(verdict));
  EXPECT_EQ(Hex(VerdictsDigest(store.get(), "vc4")), verdicts) << "the verdict is not on a rule of the machine";
  verdict.rule = rule.id;
  ASSERT_OK(SearchStore(store.get()).PutVerdict(verdict));
  const std::string proved = Hex(VerdictsDigest(store.get(), "vc4"));
  EXPECT_NE(proved, verdicts);
  verdict.verdict = v1::VERDICT_REFUTED;
  ASSERT_OK(SearchStore(store.get()).PutVerdict(verdict));
  EXPECT_NE(Hex(VerdictsDigest(store.get(), "vc4")), proved);
}

}  // namespace
}  // namespace rewrought::store
