#include "store/content/store_counts.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

TEST(StoreCountsTest, CountsByKindAndState) {
  auto store = OpenStore(NewPath());
  RunStore runs(store.get());
  for (const auto& [id, config, state] : {std::tuple{"a", "vc4 0123 1/4", v1::RUN_STATE_DONE},
                                          {"b", "vc4 0123 2/4", v1::RUN_STATE_RUNNING},
                                          {"c", "vc4 0123", v1::RUN_STATE_RUNNING},
                                          {"d", "machines: \"vc4\" db: \"/a 1/2\"", v1::RUN_STATE_FAILED}}) {
    RunRecord run = RunOf(id, 1000);
    run.kind = id[0] == 'd' ? "nightly" : "discover";
    run.config = config;
    run.state = state;
    ASSERT_OK(runs.CreateRun(run));
  }
  ASSERT_OK(RuleStore(store.get()).PutRule(RuleOf("('iadd', 'a', 0)", "a", "vc4")));
  SearchStore search(store.get());
  ASSERT_OK(search.PutVerdict(VerdictOf("x", v1::VERDICT_PROVED)));
  ASSERT_OK(search.PutVerdict(VerdictOf("y", v1::VERDICT_PROVED)));
  ASSERT_OK(search.PutVerdict(VerdictOf("y", v1::VERDICT_REFUTED)));
  const absl::StatusOr<StoreCounts> counts = CountAll(store.get());
  ASSERT_OK(counts.status());
  EXPECT_EQ((counts->runs.at({"discover", v1::RUN_STATE_RUNNING})), 2);
  EXPECT_EQ((counts->runs.at({"discover", v1::RUN_STATE_DONE})), 1);
  EXPECT_EQ((counts->runs.at({"nightly", v1::RUN_STATE_FAILED})), 1);
  EXPECT_EQ(counts->shards.at(v1::RUN_STATE_RUNNING), 1);
  EXPECT_EQ(counts->shards.at(v1::RUN_STATE_DONE), 1);
  EXPECT_EQ(counts->shards.size(), 2u);
  EXPECT_EQ(counts->rules.size(), 1u);
  EXPECT_EQ(counts->verdicts.at(v1::VERDICT_PROVED), 1);
  EXPECT_EQ(counts->verdicts.at(v1::VERDICT_REFUTED), 1);
  EXPECT_EQ(counts->contradictions, 1);
}

}  // namespace
}  // namespace rewrought::store
