#include "server/handlers/verdict_cache.h"

#include <gtest/gtest.h>

namespace rewrought::rpc {
namespace {

v1::CheckRuleRequest Request(const std::string& rule) {
  v1::CheckRuleRequest request;
  request.set_rule(rule);
  return request;
}

v1::RuleVerdict Decided(v1::Verdict whole, v1::Verdict one) {
  v1::RuleVerdict verdict;
  verdict.set_verdict(whole);
  verdict.add_cases()->set_verdict(one);
  return verdict;
}

TEST(VerdictCache, GivesBackWhatWasKeptForTheSameQuestionOnly) {
  VerdictCache cache;
  v1::CheckRuleRequest request = Request("a");
  cache.Keep(request, Decided(v1::VERDICT_PROVED, v1::VERDICT_PROVED));
  request.mutable_time_limit()->set_seconds(7);
  ASSERT_TRUE(cache.Find(request).has_value());
  EXPECT_EQ(cache.Find(request)->verdict(), v1::VERDICT_PROVED);
  EXPECT_FALSE(cache.Find(Request("b")).has_value());
  request.set_machine("agx_g13");
  EXPECT_FALSE(cache.Find(request).has_value());
  v1::CheckRuleRequest exact = Request("a");
  exact.set_exact_literals(true);
  EXPECT_FALSE(cache.Find(exact).has_value());
}

TEST(VerdictCache, KeepsNothingThatMoreTimeMightChange) {
  VerdictCache cache;
  cache.Keep(Request("a"), Decided(v1::VERDICT_UNKNOWN, v1::VERDICT_UNKNOWN));
  EXPECT_FALSE(cache.Find(Request("a")).has_value());
  cache.Keep(Request("a"), Decided(v1::VERDICT_REFUTED, v1::VERDICT_UNKNOWN));
  EXPECT_FALSE(cache.Find(Request("a")).has_value());
  v1::RuleVerdict open = Decided(v1::VERDICT_REFUTED, v1::VERDICT_REFUTED);
  open.mutable_inexact()->set_reals(v1::VERDICT_UNKNOWN);
  cache.Keep(Request("a"), open);
  EXPECT_FALSE(cache.Find(Request("a")).has_value());
  v1::CheckRuleRequest infer = Request("a");
  infer.set_infer(true);
  cache.Keep(infer, Decided(v1::VERDICT_REFUTED, v1::VERDICT_REFUTED));
  EXPECT_FALSE(cache.Find(infer).has_value());
}

TEST(VerdictCache, TheOldestGoFirst) {
  VerdictCache cache(4000);
  for (int i = 0; i < 1000; ++i) {
    cache.Keep(Request(std::to_string(i)), Decided(v1::VERDICT_PROVED, v1::VERDICT_PROVED));
  }
  EXPECT_FALSE(cache.Find(Request("0")).has_value());
  EXPECT_TRUE(cache.Find(Request("999")).has_value());
}

}  // namespace
}  // namespace rewrought::rpc
