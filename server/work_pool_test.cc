#include "server/work_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace rewrought::rpc {
namespace {

TEST(WorkPool, OneThreadKeepsTheOrder) {
  std::vector<int> done;
  {
    WorkPool pool(1);
    for (int i = 0; i < 100; ++i) pool.Do([&done, i] { done.push_back(i); });
  }  // the destructor waits for all work
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

TEST(WorkPool, WorkOfManyThreadsIsDoneOnItsOwn) {
  WorkPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> workers, givers;
  std::atomic<int> done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int work = 0; work < 50; ++work) {
        pool.Do([&] {
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
  WorkPool pool(2);
  std::atomic<int> done = 0;
  std::function<void(int)> give = [&](int left) {
    ++done;
    if (left > 0) pool.Do([&give, left] { give(left - 1); });
  };
  pool.Do([&] { give(20); });
  pool.Join();
  EXPECT_EQ(done, 21);
}

}  // namespace
}  // namespace rewrought::rpc
