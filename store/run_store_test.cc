#include "store/run_store.h"

#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

TEST(RunStoreTest, RunIsUpdatedAndResumed) {
  const std::string path = NewPath();
  {
    auto store = OpenStore(path);
    RunStore runs(store.get());
    RunRecord run = RunOf("night 1", 100);
    ASSERT_OK(runs.CreateRun(run));
    EXPECT_TRUE(absl::IsAlreadyExists(runs.CreateRun(run)));
    run.cursor = std::string("\0\x01", 2);
    run.run_statistics = "{\"fragments\":7}";
    run.updated = absl::FromUnixMicros(123456789);
    ASSERT_OK(runs.UpdateRun(run));
    ASSERT_OK(runs.CreateRun(RunOf("night 0", 50)));
  }
  auto store = OpenStore(path);
  RunStore runs(store.get());
  const auto unfinished = runs.Unfinished();
  ASSERT_OK(unfinished.status());
  ASSERT_EQ(unfinished->size(), 2u);
  EXPECT_EQ((*unfinished)[0].id, "night 0");
  RunRecord run = (*unfinished)[1];
  EXPECT_EQ(run.cursor, std::string("\0\x01", 2));
  EXPECT_EQ(run.run_statistics, "{\"fragments\":7}");
  EXPECT_EQ(run.updated, absl::FromUnixMicros(123456789));
  EXPECT_FALSE(run.ended.has_value());
  run.state = v1::RUN_STATE_DONE;
  run.ended = absl::FromUnixSeconds(200);
  ASSERT_OK(runs.UpdateRun(run));
  EXPECT_EQ(runs.GetRun("night 1")->ended, absl::FromUnixSeconds(200));
  EXPECT_EQ(runs.Unfinished()->size(), 1u);
}

TEST(RunStoreTest, PausedRunsAreResumableAndNotUnfinished) {
  auto store = OpenStore(NewPath());
  RunStore runs(store.get());
  RunRecord run = RunOf("r", 1);
  run.state = v1::RUN_STATE_PAUSED;
  ASSERT_OK(runs.CreateRun(run));
  EXPECT_EQ(runs.Unfinished()->size(), 0u);
  ASSERT_EQ(runs.Resumable()->size(), 1u);
  EXPECT_EQ(runs.Resumable()->at(0).state, v1::RUN_STATE_PAUSED);
}

TEST(RunStoreTest, UnknownRunsAndBadRunStatisticssAreRefused) {
  auto store = OpenStore(NewPath());
  RunStore runs(store.get());
  EXPECT_TRUE(absl::IsNotFound(runs.GetRun("none").status()));
  EXPECT_TRUE(absl::IsNotFound(runs.UpdateRun(RunOf("none", 1))));
  RunRecord run = RunOf("r", 1);
  run.run_statistics = "{not json";
  EXPECT_TRUE(absl::IsInvalidArgument(runs.CreateRun(run)));
}

TEST(RunStoreTest, ListedNewestFirstInPages) {
  auto store = OpenStore(NewPath());
  RunStore runs(store.get());
  for (int i = 0; i < 5; ++i) ASSERT_OK(runs.CreateRun(RunOf(std::string(1, static_cast<char>('a' + i)), 100 + i / 2)));
  std::string ids;
  std::optional<RunStore::Place> place;
  for (int page = 0; page < 4; ++page) {
    const auto list = runs.ListRuns(place, 2);
    ASSERT_OK(list.status());
    for (const RunRecord& run : *list) ids += run.id;
    if (!list->empty()) place = RunStore::Place{list->back().started, list->back().id};
  }
  EXPECT_EQ(ids, "ecdab");
}

}  // namespace
}  // namespace rewrought::store
