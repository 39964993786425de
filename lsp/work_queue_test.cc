#include "lsp/work_queue.h"

#include <gtest/gtest.h>

#include <chrono>

namespace rewrought::lsp {
namespace {

// Records the order of events and lets a test wait for one.
class Log {
 public:
  void Add(const std::string& event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }
  // Waits until there are `count` events, and returns them.
  std::vector<std::string> Wait(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return events_.size() >= count; });
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
};

WorkItem Quick(Log* log, const std::string& key) {
  return {key, [=](const std::stop_token&) { log->Add(key); }};
}

// Runs until it is stopped.
WorkItem Endless(Log* log, const std::string& key) {
  return {key, [=](const std::stop_token& stop) {
            log->Add(key + " starts");
            while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            log->Add(key + " stops");
          }};
}

using Events = std::vector<std::string>;

TEST(WorkQueue, RunsUrgentItemsFirstAndTheLastOwnerNext) {
  Log log;
  WorkQueue queue(1, [] {});
  queue.Replace("busy", {Endless(&log, "busy")}, {});
  log.Wait(1);
  queue.Replace("one", {}, {Quick(&log, "a"), Quick(&log, "b")});
  queue.Replace("two", {Quick(&log, "u")}, {Quick(&log, "c")});
  EXPECT_EQ(queue.Remaining("one"), 2);
  EXPECT_EQ(queue.Remaining("two"), 2);
  queue.Drop("busy");
  EXPECT_EQ(log.Wait(6), (Events{"busy starts", "busy stops", "u", "c", "a", "b"}));
}

TEST(WorkQueue, UrgentItemsInterruptOthers) {
  Log log;
  WorkQueue queue(1, [] {});
  queue.Replace("one", {}, {Endless(&log, "slow")});
  log.Wait(1);
  queue.Replace("two", {Quick(&log, "u")}, {});
  EXPECT_EQ(log.Wait(4), (Events{"slow starts", "slow stops", "u", "slow starts"}));
}

TEST(WorkQueue, ARunningItemMayLoseItsUrgency) {
  Log log;
  WorkQueue queue(1, [] {});
  queue.Replace("one", {Endless(&log, "slow")}, {});
  log.Wait(1);
  queue.Replace("one", {Quick(&log, "u")}, {Endless(&log, "slow")});
  EXPECT_EQ(log.Wait(4), (Events{"slow starts", "slow stops", "u", "slow starts"}));
}

TEST(WorkQueue, KeepsRunningItemsThatAreStillWanted) {
  Log log;
  int idle = 0;
  {
    WorkQueue queue(1, [&] { ++idle; });
    queue.Replace("one", {}, {Endless(&log, "slow")});
    log.Wait(1);
    queue.Replace("one", {}, {Quick(&log, "a"), Endless(&log, "slow")});
    EXPECT_EQ(queue.Remaining("one"), 2);
    queue.Replace("one", {}, {Quick(&log, "a")});
    EXPECT_EQ(log.Wait(3), (Events{"slow starts", "slow stops", "a"}));
  }
  EXPECT_EQ(idle, 1);
}

}  // namespace
}  // namespace rewrought::lsp
