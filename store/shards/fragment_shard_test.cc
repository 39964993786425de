#include "store/shards/fragment_shard.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace rewrought::store {
namespace {

TEST(FragmentShard, EachDigestIsInOneShardWhoseRangeHasIt) {
  for (const int shards : {1, 2, 3, 7, 1000, 65536}) {
    uint32_t next = 0;
    for (int shard = 0; shard < shards; ++shard) {
      const DatabaseLock::Slots slots = SlotsOfShard(shard, shards);
      ASSERT_EQ(slots.first, next);
      ASSERT_GT(slots.count, 0u);
      next += slots.count;
    }
    ASSERT_EQ(next, DatabaseLock::kSlots);
  }
  for (int i = 0; i < 1000; ++i) {
    const ir::Digest digest = ir::Digest::Of(absl::StrCat(i));
    int found = 0;
    for (int shard = 0; shard < 7; ++shard) {
      const DatabaseLock::Slots slots = SlotsOfShard(shard, 7);
      const DigestRange range = DigestsOf(slots);
      const bool in_range = range.first <= digest.view() && digest.view() < range.end;
      EXPECT_EQ(in_range, Contains(slots, digest));
      found += in_range ? 1 : 0;
    }
    EXPECT_EQ(found, 1);
  }
  ir::Digest last;
  last.bytes.fill(0xff);
  EXPECT_LT(last.view(), DigestsOf(SlotsOfShard(0, 1)).end);
}

}  // namespace
}  // namespace rewrought::store
