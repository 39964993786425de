#include "pipeline/watch/stage_left.h"

#include "gtest/gtest.h"

namespace rewrought::pipeline {
namespace {

TEST(StageLeftTest, SaysWhatTheBudgetDoesToIt) {
  StageEstimate free("fragments", ", then more"), budgeted("fragments", ", then more"),
      rounds("fragments", ", then more");
  for (StageEstimate* stage : {&free, &budgeted, &rounds}) stage->SetAll(1000);
  EXPECT_EQ(free.Done(1, 0, false), "fragments: remaining time unknown, then more");
  EXPECT_EQ(budgeted.Done(1, 30, false), "fragments: at most 30 s remaining");
  EXPECT_EQ(rounds.Done(1, 30, true), "fragments: remaining time unknown; the last round starts within 29 s");
  std::string free_said, budgeted_said;
  for (int second = 2; second <= 100; ++second) {
    free_said = free.Done(second, 0, false);
    budgeted_said = budgeted.Done(second, 220, false);
  }
  EXPECT_EQ(free_said, "fragments: 11 to 19 min remaining, then more");
  EXPECT_EQ(budgeted_said, "fragments: at most 2 min remaining");
}

}  // namespace
}  // namespace rewrought::pipeline
