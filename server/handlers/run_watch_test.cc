#include "server/handlers/run_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"

namespace rewrought::rpc {
namespace {

// Simulates the store's runs: all runs have the same number of fragments, and no run is called "none".
class RunWatchTest : public testing::Test {
 protected:
  absl::StatusOr<v1::Run> Read(const std::string& id) {
    if (id == "none") return absl::NotFoundError("no run is called none");
    v1::Run run;
    run.set_id(id);
    run.mutable_statistics()->set_fragments(fragments_);
    return run;
  }

  std::atomic<uint64_t> fragments_ = 1;
  RunWatch watch_{nullptr, [this](const std::string& id) { return Read(id); }};
};

TEST_F(RunWatchTest, TellsEachChangeOnceToEachWatcher) {
  std::atomic<int> woken = 0;
  RunWatch::Watcher one(&watch_, "a", [&] { ++woken; }), other(&watch_, "a", [] {});
  v1::Run run;
  for (RunWatch::Watcher* watcher : {&one, &other}) {
    EXPECT_TRUE(*watcher->Changed(&run));
    EXPECT_EQ(run.statistics().fragments(), 1u);
    EXPECT_FALSE(*watcher->Changed(&run));
  }
  const int before = woken;
  fragments_ = 2;
  for (int i = 0; i < 1000 && woken == before; ++i) absl::SleepFor(absl::Milliseconds(10));
  for (RunWatch::Watcher* watcher : {&one, &other}) {
    EXPECT_TRUE(*watcher->Changed(&run));
    EXPECT_EQ(run.statistics().fragments(), 2u);
    EXPECT_FALSE(*watcher->Changed(&run));
  }
}

TEST_F(RunWatchTest, ARunThatIsNotThereIsAnError) {
  RunWatch::Watcher watcher(&watch_, "none", [] {});
  v1::Run run;
  EXPECT_EQ(watcher.Changed(&run).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(RunWatchTest, WatchersMayComeAndGoWhileRunsChange) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int times = 0; times < 100; ++times) {
        const std::string id = times % 2 == 0 ? "a" : "b";
        RunWatch::Watcher watcher(&watch_, id, [] {});
        v1::Run run;
        EXPECT_TRUE(*watcher.Changed(&run));
        for (int changes = 0; changes < 10; ++changes) {
          ++fragments_;
          const RunWatch::Watcher other(&watch_, id, [] {});  // polls the run
          EXPECT_TRUE(watcher.Changed(&run).ok());
        }
      }
    });
  }
}

}  // namespace
}  // namespace rewrought::rpc
