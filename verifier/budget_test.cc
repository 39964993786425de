// Tests the limits of a query in units and in time, and which unknown answers are final.
#include "verifier/budget.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

TEST(LimitsOf, WorkIsCountedAndClocksAreFarAway) {
  SolverQuery query;
  query.work_ms = 1000;
  const QueryLimits limits = LimitsOf(query, {200, 3});
  EXPECT_EQ(limits.units, 200'000u);
  EXPECT_EQ(limits.processor_ms, 4000u);
  // A process that receives 1/66 of a core must be able to finish.
  EXPECT_GE(limits.wall_ms, 66 * query.work_ms);
}

TEST(LimitsOf, WhoAsksForMillisecondsGetsThemByTheClock) {
  SolverQuery query;
  query.timeout_ms = 50;
  EXPECT_EQ(LimitsOf(query, {200, 3}), (QueryLimits{10'000, 1150, 50}));
  query.work_ms = 1000;
  EXPECT_EQ(LimitsOf(query, {200, 3}), (QueryLimits{200'000, 4000, 50}));
}

TEST(LimitsOf, NoBudgetIsWithoutEnd) {
  SolverQuery query;
  query.work_ms = 4'000'000'000;
  EXPECT_EQ(LimitsOf(query, CountingOfZ3(Tactic::kNative)).units, 4'000'000'000u);
  query.work_ms = 0;
  EXPECT_EQ(LimitsOf(query, CountingOfCvc5("")).units, 300'000u);
}

TEST(IsRetryable, TheClockAndAccidentsAreNotFinal) {
  for (const char* reason : {"time", "uf: budget; native: time (worker killed); exhaustive: ", "cancelled",
                             "worker died: signal 24 (processor time used up)", "worker: bad reply"}) {
    EXPECT_TRUE(IsRetryable(reason)) << reason;
  }
  for (const char* reason :
       {"", "budget", "budget (processor)", "uf: the model is valid only for uninterpreted functions; native: budget",
        "memory", "parse: x is not a declared constant"}) {
    EXPECT_FALSE(IsRetryable(reason)) << reason;
  }
}

}  // namespace
}  // namespace rewrought::verifier
