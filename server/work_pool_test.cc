#include "server/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rewrought::rpc {
namespace {

// Blocks work until it is opened.
class Gate {
 public:
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

TEST(WorkPool, ClientsTakeTurns) {
  Gate gate;
  std::string order;
  {
    WorkPool pool(1, 1);
    pool.Do("first", [&] { gate.Wait(); });
    for (int i = 0; i < 5; ++i) pool.Do("greedy", [&] { order += 'g'; });
    for (int i = 0; i < 2; ++i) pool.Do("modest", [&] { order += 'm'; });
    gate.Open();
  }
  EXPECT_EQ(order, "gmgmggg");
}

TEST(WorkPool, OneClientUsesAtMostHalf) {
  Gate gate, done;
  std::atomic<int> greedy = 0;
  WorkPool pool(8, 4);
  for (int i = 0; i < 8; ++i) {
    pool.Do("greedy", [&] {
      ++greedy;
      gate.Wait();
    });
  }
  pool.Do("modest", [&] { done.Open(); });
  done.Wait();
  EXPECT_LE(greedy, 2);
  gate.Open();
  pool.Join();
  EXPECT_EQ(greedy, 8);
}

TEST(WorkPool, WorkThatStepsAsideMakesRoom) {
  Gate gate, done;
  std::atomic<int> aside = 0;
  WorkPool pool(4, 2);
  for (int i = 0; i < 3; ++i) {
    pool.Do("waiting", [&] {
      WorkPool::StepAside();
      WorkPool::StepAside();  // has no effect
      if (++aside == 3) done.Open();
      gate.Wait();
    });
  }
  done.Wait();
  Gate other;
  pool.Do("waiting", [&] { other.Open(); });
  other.Wait();
  gate.Open();
  pool.Join();
  WorkPool::StepAside();  // has no effect outside of a pool
}

TEST(WorkPool, OneThreadKeepsTheOrder) {
  std::vector<int> done;
  {
    WorkPool pool(1, 1);
    for (int i = 0; i < 100; ++i) pool.Do("client", [&done, i] { done.push_back(i); });
  }  // the destructor waits for all work
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

TEST(WorkPool, WorkOfManyThreadsIsDoneOnItsOwn) {
  WorkPool pool(3, 3);
  std::mutex mutex;
  std::set<std::thread::id> workers, givers;
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int work = 0; work < 50; ++work) {
        pool.Do("client", [&] {
          ++done;
          const std::lock_guard<std::mutex> lock(mutex);
          workers.insert(std::this_thread::get_id());
        });
      }
      const std::lock_guard<std::mutex> lock(mutex);
      givers.insert(std::this_thread::get_id());
    });
  }
  threads.clear();
  pool.Join();
  EXPECT_EQ(done, 200);
  EXPECT_LE(workers.size(), 3u);
  for (const std::thread::id giver : givers) EXPECT_FALSE(workers.contains(giver));
}

TEST(WorkPool, JoinWaitsForWorkThatWorkGave) {
  WorkPool pool(2, 2);
  std::atomic<int> done = 0;
  std::function<void(int)> give = [&](int left) {
    ++done;
    if (left > 0) pool.Do("client", [&give, left] { give(left - 1); });
  };
  pool.Do("client", [&] { give(20); });
  pool.Join();
  EXPECT_EQ(done, 21);
}

}  // namespace
}  // namespace rewrought::rpc
