#include "server/access/limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rewrought::rpc {
namespace {

TEST(Limiter, RefusesAtOnceWhoeverMayNotWait) {
  Limiter limiter({.running = 1});
  absl::StatusOr<Limiter::Pass> first = limiter.Enter({});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(limiter.Enter({}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Limiter, OneClientDoesNotTakeAllPlaces) {
  Limiter limiter({.running = 4, .waiting = 4, .client_calls = 2});
  {
    const absl::StatusOr<Limiter::Pass> first = limiter.Enter({}, "a"), second = limiter.Enter({}, "a");
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(limiter.Enter({}, "a").status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_TRUE(limiter.Enter({}, "b").ok());
    EXPECT_TRUE(limiter.Enter({}).ok());  // the server's own work has no client
  }
  EXPECT_TRUE(limiter.Enter({}, "a").ok());  // both slots are free again
}

TEST(Limiter, WhoGivesUpWaitingCountsNoMore) {
  Limiter limiter({.running = 1, .waiting = 4, .client_calls = 1});
  {
    const absl::StatusOr<Limiter::Pass> other = limiter.Enter({}, "b");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(limiter.Enter(stop.get_token(), "a").status().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_TRUE(limiter.Enter({}, "a").ok());
}

TEST(Limiter, APassGivesItsPlaceBackOnce) {
  Limiter limiter({.running = 1});
  {
    absl::StatusOr<Limiter::Pass> first = limiter.Enter({});
    ASSERT_TRUE(first.ok());
    const Limiter::Pass moved = *std::move(first);
  }
  const absl::StatusOr<Limiter::Pass> second = limiter.Enter({});
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(limiter.Enter({}).ok());
}

TEST(Limiter, WaitsForAPlace) {
  Limiter limiter({.running = 1, .waiting = 1});
  std::optional<Limiter::Pass> first(*limiter.Enter({}));
  std::atomic<bool> entered = false;
  std::thread waiter([&] {
    const absl::StatusOr<Limiter::Pass> pass = limiter.Enter({});
    entered = pass.ok();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(entered);
  first.reset();
  waiter.join();
  EXPECT_TRUE(entered);
}

TEST(Limiter, StopsWaitingWhenAskedTo) {
  Limiter limiter({.running = 1, .waiting = 1});
  const absl::StatusOr<Limiter::Pass> first = limiter.Enter({});
  std::stop_source stop;
  std::thread waiter([&] { EXPECT_EQ(limiter.Enter(stop.get_token()).status().code(), absl::StatusCode::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop.request_stop();
  waiter.join();
}

// Makes one call for each of `clients`, in order, while `running` occupies the slot. Then releases the slot and returns
// the clients in the order in which their calls ran.
std::string OrderOf(Limiter* limiter, std::optional<Limiter::Pass>* running, const std::vector<std::string>& clients) {
  std::mutex mutex;
  std::string order;
  std::vector<std::jthread> threads;
  for (const std::string& client : clients) {
    std::atomic<bool> started = false;
    threads.emplace_back([&, client] {
      started = true;
      const absl::StatusOr<Limiter::Pass> pass = limiter->Enter({}, client);
      const std::lock_guard<std::mutex> lock(mutex);
      order += client;
    });
    while (!started) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  running->reset();
  threads.clear();
  return order;
}

TEST(Limiter, ClientsTakeTurns) {
  Limiter limiter({.running = 1, .waiting = 16});
  std::optional<Limiter::Pass> first(*limiter.Enter({}, "g"));
  EXPECT_EQ(OrderOf(&limiter, &first, {"g", "g", "g", "g", "m"}), "mgggg");
}

TEST(Limiter, OneClientRunsABoundedNumberOfCalls) {
  Limiter limiter({.running = 2, .waiting = 1, .client_running = 1});
  absl::StatusOr<Limiter::Pass> first = limiter.Enter({}, "a");
  ASSERT_TRUE(first.ok());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(limiter.Enter(stop.get_token(), "a").status().code(), absl::StatusCode::kCancelled);  // waits
  EXPECT_TRUE(limiter.Enter({}, "b").ok());
  { const Limiter::Pass moved = *std::move(first); }
  EXPECT_TRUE(limiter.Enter({}, "a").ok());
}

}  // namespace
}  // namespace rewrought::rpc
