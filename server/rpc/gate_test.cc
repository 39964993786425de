#include "server/rpc/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

namespace rewrought::rpc {
namespace {

TEST(Gate, RefusesAtOnceWhoeverMayNotWait) {
  Gate gate(1, 0);
  absl::StatusOr<Gate::Pass> first = gate.Enter({});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(gate.Enter({}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Gate, OneClientDoesNotTakeAllPlaces) {
  Gate gate(4, 4, 2);
  {
    const absl::StatusOr<Gate::Pass> first = gate.Enter({}, "a"), second = gate.Enter({}, "a");
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(gate.Enter({}, "a").status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_TRUE(gate.Enter({}, "b").ok());
    EXPECT_TRUE(gate.Enter({}).ok());  // the server's own work
  }
  EXPECT_TRUE(gate.Enter({}, "a").ok());  // both have left
}

TEST(Gate, WhoGivesUpWaitingCountsNoMore) {
  Gate gate(1, 4, 1);
  {
    const absl::StatusOr<Gate::Pass> other = gate.Enter({}, "b");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(gate.Enter(stop.get_token(), "a").status().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_TRUE(gate.Enter({}, "a").ok());
}

TEST(Gate, APassGivesItsPlaceBackOnce) {
  Gate gate(1, 0);
  {
    absl::StatusOr<Gate::Pass> first = gate.Enter({});
    ASSERT_TRUE(first.ok());
    const Gate::Pass moved = *std::move(first);
  }
  const absl::StatusOr<Gate::Pass> second = gate.Enter({});
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(gate.Enter({}).ok());
}

TEST(Gate, WaitsForAPlace) {
  Gate gate(1, 1);
  std::optional<Gate::Pass> first(*gate.Enter({}));
  std::atomic<bool> entered = false;
  std::thread waiter([&] {
    const absl::StatusOr<Gate::Pass> pass = gate.Enter({});
    entered = pass.ok();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(entered);
  first.reset();
  waiter.join();
  EXPECT_TRUE(entered);
}

TEST(Gate, StopsWaitingWhenAskedTo) {
  Gate gate(1, 1);
  const absl::StatusOr<Gate::Pass> first = gate.Enter({});
  std::stop_source stop;
  std::thread waiter([&] { EXPECT_EQ(gate.Enter(stop.get_token()).status().code(), absl::StatusCode::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop.request_stop();
  waiter.join();
}

}  // namespace
}  // namespace rewrought::rpc
