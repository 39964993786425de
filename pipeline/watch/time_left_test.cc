#include "pipeline/watch/time_left.h"

#include "gtest/gtest.h"

namespace rewrought::pipeline {
namespace {

TEST(TimeLeftTest, SaysNothingBeforeItKnows) {
  TimeEstimate left;
  EXPECT_FALSE(left.Left().has_value());
  left.At(0, 0, 1000);
  left.At(9, 100, 1000);  // too little time
  EXPECT_FALSE(left.Left().has_value());
  TimeEstimate slow;
  slow.At(0, 0, 1000);
  slow.At(100, 9, 1000);  // too few units done
  EXPECT_FALSE(slow.Left().has_value());
  EXPECT_EQ(TimeLeftText(slow.Left(), std::nullopt), "remaining time unknown");
}

TEST(TimeLeftTest, TheRangeHasTheTruthWhereTheRateStays) {
  TimeEstimate left;
  for (int second = 0; second <= 100; ++second) left.At(second, 2 * second, 1000);
  ASSERT_TRUE(left.Left().has_value());
  EXPECT_LT(left.Left()->least, 400);
  EXPECT_GT(left.Left()->most, 400);
  EXPECT_LT(left.Left()->most, 600);
  EXPECT_EQ(TimeLeftText(left.Left(), std::nullopt), "5 to 9 min remaining");
}

TEST(TimeLeftTest, WhatGetsSlowerIsARangeToTheSlowerRate) {
  TimeEstimate left;
  for (int second = 0; second <= 60; ++second) left.At(second, 10 * second, 1000);
  for (int second = 61; second <= 100; ++second) left.At(second, 600 + 3 * (second - 60), 1000);
  ASSERT_TRUE(left.Left().has_value());
  EXPECT_LT(left.Left()->least, 40);  // 280 units at 7.2 per second
  EXPECT_GT(left.Left()->most, 93);   // 280 units at 3 per second
}

TEST(TimeLeftTest, WhatStandsStillIsUnknownAndSoAreRatesThatHaveNothingInCommon) {
  TimeEstimate left;
  for (int second = 0; second <= 60; ++second) left.At(second, second, 100);
  for (int second = 61; second <= 200; ++second) left.At(second, 60, 100);
  EXPECT_FALSE(left.Left().has_value());
  for (int second = 201; second <= 300; ++second) left.At(second, 60 + (second - 200) / 80, 100);
  EXPECT_FALSE(left.Left().has_value());
}

TEST(TimeLeftTest, DoneIsDoneAndManyStepsAreKeptFew) {
  TimeEstimate left;
  for (int step = 0; step <= 100000; ++step) left.At(step * 0.01, step, 200000);
  ASSERT_TRUE(left.Left().has_value());
  EXPECT_LT(left.Left()->least, 1000);
  EXPECT_GT(left.Left()->most, 1000);
  left.At(1001, 200000, 200000);
  EXPECT_EQ(left.Left()->most, 0);
}

TEST(TimeLeftTest, NowSaysWhatTheClockShows) {
  TimeEstimate left;
  EXPECT_EQ(left.Now(1, 100), "remaining time unknown");
  EXPECT_EQ(left.Now(100, 100), "0 to 0 s remaining");
}

TEST(TimeLeftTest, ADeadlineCutsTheRange) {
  EXPECT_EQ(TimeLeftText(std::nullopt, 61), "at most 65 s remaining");
  EXPECT_EQ(TimeLeftText(std::nullopt, 0), "past the deadline");
  EXPECT_EQ(TimeLeftText(SecondsRange{10, 50}, -1), "past the deadline");
  EXPECT_EQ(TimeLeftText(SecondsRange{10, 50}, std::nullopt), "10 to 50 s remaining");
  EXPECT_EQ(TimeLeftText(SecondsRange{10, 50}, 30), "10 to 30 s remaining");
  EXPECT_EQ(TimeLeftText(SecondsRange{40, 50}, 30), "at most 30 s remaining");
  EXPECT_EQ(TimeLeftText(SecondsRange{40, 500}, std::nullopt), "40 s to 9 min remaining");
  EXPECT_EQ(TimeLeftText(SecondsRange{400, 500}, 7200), "6 to 9 min remaining");
}

}  // namespace
}  // namespace rewrought::pipeline
