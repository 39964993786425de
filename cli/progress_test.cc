#include "cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

namespace rewrought::cli {
namespace {

// Standard error is not a terminal here. A log must not contain the updates that a terminal rewrites in place.
TEST(Progress, SaysNothingOfAShortRunInALog) {
  testing::internal::CaptureStderr();
  {
    Progress progress("discover");
    for (int i = 0; i < 1000; ++i) progress.Show("1 of 2");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, AStarvedWorkerIsNamedOnceAMinute) {
  const auto start = pipeline::WorkerBoard::Clock::now();
  std::atomic<int> seconds = 0;
  pipeline::WorkerBoard board([&] { return start + std::chrono::seconds(seconds); });
  pipeline::WorkerBoard::Worker worker(&board, "search 1 of vc4");
  worker.Begin("('fadd', a, b)");
  Progress progress("discover vc4");
  testing::internal::CaptureStderr();
  {
    const StarvationWatch watch(&progress, &board, std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    seconds = 130;
    // Wait long enough for the watch to check the board more than once, even on a loaded machine.
    for (const int past : {131, 132, 133}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      seconds = past;
    }
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_EQ(said.substr(0, said.find(" for ")), "discover vc4: starved: search 1 of vc4: no result");
  EXPECT_NE(said.find(", at ('fadd', a, b)\n"), std::string::npos) << said;
}

}  // namespace
}  // namespace rewrought::cli
