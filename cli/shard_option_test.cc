#include "cli/shard_option.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace rewrought::cli {
namespace {

TEST(ShardOptionTest, CountsFromOne) {
  EXPECT_EQ(ReadShard("1/1")->shards, 1);
  EXPECT_EQ(ReadShard("")->shards, 1);
  const auto shard = ReadShard("65536/65536");
  ASSERT_TRUE(shard.ok()) << shard.status();
  EXPECT_EQ(shard->shard, 65535);
}

TEST(ShardOptionTest, RefusesWhatIsNoPart) {
  for (const char* text : {"0/4", "5/4", "1/0", "-1/4", "1", "1/2/3", "a/b", "1/65537", "1/", "/2", "1/4294967297"}) {
    const auto shard = ReadShard(text);
    EXPECT_FALSE(shard.ok()) << text;
    EXPECT_TRUE(absl::StrContains(shard.status().message(), "such as 2/4")) << shard.status();
  }
}

}  // namespace
}  // namespace rewrought::cli
