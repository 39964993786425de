#include "pipeline/run_budget.h"

#include <chrono>

#include "gtest/gtest.h"

namespace rewrought::pipeline {
namespace {

TEST(RunBudgetTest, APartOfTheTimeThatIsLeft) {
  using std::chrono::seconds;
  RunBudget limited(RunLimits{.seconds = 1000}, {});
  const RunBudget::Clock::time_point now = RunBudget::Clock::now();
  EXPECT_GT(limited.UntilPart(0.3), now + seconds(200));
  EXPECT_LT(limited.UntilPart(0.3), now + seconds(310));
  RunBudget unlimited({}, {});
  EXPECT_EQ(unlimited.UntilPart(0.3), RunBudget::Clock::time_point::max());
  EXPECT_FALSE(unlimited.spent());
}

TEST(RunBudgetTest, TimeThatIsUpSaysWhy) {
  RunBudget short_one(RunLimits{.seconds = 0.001}, {});
  while (!short_one.spent()) {
  }
  EXPECT_EQ(short_one.why(), "time");
  EXPECT_LE(short_one.UntilPart(0.3), RunBudget::Clock::now());
}

}  // namespace
}  // namespace rewrought::pipeline
