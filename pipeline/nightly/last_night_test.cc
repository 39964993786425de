#include "pipeline/nightly/last_night.h"

#include <gtest/gtest.h>

namespace rewrought::pipeline {
namespace {

// Regression test: cycles were stored with six digits, so every nightly run reported a rule that saves millions of
// cycles as changed.
TEST(LastNight, IsReadAsItWasWritten) {
  LastNight night;
  night.worth = {{"00ab", 12345678}, {"00cd", 0.1}, {"00ef", 1.0 / 3}, {"0123", 0}};
  night.packs = {{"agx_g13", {171, 4}}, {"vc4", {0, 0}}};
  const LastNight read = ParseNight(TextOf(night));
  EXPECT_EQ(read.worth, night.worth);
  ASSERT_EQ(read.packs.size(), 2u);
  EXPECT_EQ(read.packs.at("agx_g13").exported, 171u);
  EXPECT_EQ(read.packs.at("agx_g13").blocked, 4u);
}

TEST(LastNight, PassesOverWhatItDoesNotKnow) {
  const LastNight night =
      ParseNight("\nid\nid x\npack vc4 1\npack vc4 -1 2\npack vc4 1 2 3\nfuture line of words\nok 2.5\npack vc4 1 2");
  EXPECT_EQ(night.worth, (std::map<std::string, double>{{"ok", 2.5}}));
  ASSERT_EQ(night.packs.size(), 1u);
  EXPECT_EQ(night.packs.at("vc4").blocked, 2u);
  EXPECT_TRUE(ParseNight("").worth.empty());
}

}  // namespace
}  // namespace rewrought::pipeline
