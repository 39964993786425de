#include "verifier/worker/cpu_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace rewrought::verifier {
namespace {

TEST(CpuLimit, EndsWorkWhenItsTimeIsUsed) {
  std::atomic<bool> spent = false;
  const double start = ProcessorMilliseconds();
  CpuLimit limit(20, [&] { spent = true; });
  while (!spent && ProcessorMilliseconds() - start < 5000) {
  }
  EXPECT_TRUE(spent);
  EXPECT_TRUE(limit.End());
  EXPECT_GE(ProcessorMilliseconds() - start, 20);
}

TEST(CpuLimit, TimeThatPassesWithoutWorkIsNotCounted) {
  std::atomic<bool> spent = false;
  {
    CpuLimit limit(40, [&] { spent = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(limit.End());
  }
  EXPECT_FALSE(spent);
}

}  // namespace
}  // namespace rewrought::verifier
