#include "proto/parse_limits.h"

#include <gtest/gtest.h>

namespace rewrought::proto {
namespace {

constexpr ParseLimits kSmall = {"a thing", 10, 3, "parts", 2, "cut it"};

TEST(ParseBudgetTest, TakesUpToEachBoundAndNamesTheOnePassed) {
  ParseBudget budget(kSmall);
  EXPECT_TRUE(budget.TakeBytes(10));
  EXPECT_TRUE(budget.TakeItems(2) && budget.TakeItems());
  EXPECT_TRUE(budget.ok() && budget.status().ok());
  EXPECT_FALSE(budget.TakeItems());
  EXPECT_EQ(budget.error(), "more than 3 parts, the limit for a thing; cut it");
  EXPECT_EQ(budget.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(budget.TakeBytes(0)) << "an exceeded budget accepts further charges";
}

TEST(ParseBudgetTest, CountsThatWouldWrapAreRefused) {
  ParseBudget budget(kSmall);
  EXPECT_TRUE(budget.TakeBytes(5));
  EXPECT_FALSE(budget.TakeBytes(UINT64_MAX));
}

TEST(ParseBudgetTest, LevelsAreGivenBack) {
  ParseBudget budget(kSmall);
  for (int i = 0; i < 5; ++i) {
    const ParseLevel first(&budget);
    const ParseLevel second(&budget);
    EXPECT_TRUE(first.ok() && second.ok());
  }
  const ParseLevel first(&budget), second(&budget), third(&budget);
  EXPECT_TRUE(second.ok());
  EXPECT_FALSE(third.ok());
  EXPECT_EQ(budget.error(), "more than 2 levels of nesting, the limit for a thing; cut it");
}

TEST(CheckBracketsTest, NamesTheBracketThatIsTooDeep) {
  EXPECT_TRUE(CheckJson("[[]]", kSmall).ok());
  EXPECT_TRUE(CheckJson("[[],[]]", kSmall).ok());
  EXPECT_EQ(CheckJson("{\n [[", kSmall).message(), "2:3: more than 2 levels of nesting, the limit for a thing; cut it");
  EXPECT_EQ(CheckJson("[[[[[[[[[[[", kSmall).message(), "1:1: more than 10 bytes, the limit for a thing; cut it");
}

TEST(CheckBracketsTest, StringsAndCommentsHideNothingButThemselves) {
  EXPECT_TRUE(CheckJson("\"[[[\\\"[\"", kSmall).ok());
  EXPECT_FALSE(CheckJson("\"a\"[[[", kSmall).ok());
  EXPECT_FALSE(CheckJson("'[[['", kSmall).ok()) << "JSON has no single-quoted strings";
  EXPECT_TRUE(CheckBrackets("'<<<'", kSmall, Quotes::kDoubleAndSingle, true).ok());
  EXPECT_TRUE(CheckBrackets("# {{{{", kSmall, Quotes::kDoubleAndSingle, true).ok());
  EXPECT_FALSE(CheckBrackets("#\n{<[", kSmall, Quotes::kDoubleAndSingle, true).ok());
  EXPECT_FALSE(CheckBrackets("\"\n{{{", kSmall, Quotes::kDouble, false).ok()) << "an unterminated string hid brackets";
  EXPECT_FALSE(CheckJson("]]][[[", kSmall).ok()) << "unmatched closing brackets allowed additional levels";
}

}  // namespace
}  // namespace rewrought::proto
