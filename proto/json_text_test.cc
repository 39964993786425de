#include "proto/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace rewrought::proto {
namespace {

TEST(ParseJsonTest, ReadsUpToTheBoundAndNothingMalformed) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  EXPECT_EQ(ParseJson("{\"a\": 1}")["a"], 1);
  EXPECT_EQ(ParseJson(nested(kJsonLimits.depth)).dump(), nested(kJsonLimits.depth));
  EXPECT_TRUE(ParseJson(nested(kJsonLimits.depth + 1)).is_discarded());
  EXPECT_TRUE(ParseJson(std::string(1'000'000, '[')).is_discarded());
  EXPECT_TRUE(ParseJson("{").is_discarded());
}

}  // namespace
}  // namespace rewrought::proto
