#include "server/access/limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

namespace rewrought::rpc {
namespace {

TEST(Limiter, RefusesAtOnceWhoeverMayNotWait) {
  Limiter limiter(1, 0);
  absl::StatusOr<Limiter::Pass> first = limiter.Enter({});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(limiter.Enter({}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Limiter, OneClientDoesNotTakeAllPlaces) {
  Limiter limiter(4, 4, 2);
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
  Limiter limiter(1, 4, 1);
  {
    const absl::StatusOr<Limiter::Pass> other = limiter.Enter({}, "b");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(limiter.Enter(stop.get_token(), "a").status().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_TRUE(limiter.Enter({}, "a").ok());
}

TEST(Limiter, APassGivesItsPlaceBackOnce) {
  Limiter limiter(1, 0);
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
  Limiter limiter(1, 1);
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
  Limiter limiter(1, 1);
  const absl::StatusOr<Limiter::Pass> first = limiter.Enter({});
  std::stop_source stop;
  std::thread waiter([&] { EXPECT_EQ(limiter.Enter(stop.get_token()).status().code(), absl::StatusCode::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop.request_stop();
  waiter.join();
}

}  // namespace
}  // namespace rewrought::rpc
