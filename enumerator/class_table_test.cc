#include "enumerator/class_table.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rewrought::enumerator {
namespace {

TEST(ClassTable, FindsEachOfManyAndNoOther) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> keys;
  const auto key_of = [&](EntryIndex e) { return keys[e]; };
  ClassTable table;
  for (EntryIndex e = 0; e < 100'000; ++e) {
    keys.push_back(random());
    ASSERT_EQ(table.Find(keys[e], key_of), kNoEntry);
    const uint64_t before = table.bytes(), growth = table.growth_bytes();
    table.Add(keys[e], e);
    EXPECT_EQ(table.bytes(), growth > 0 ? growth : before);
  }
  for (EntryIndex e = 0; e < keys.size(); ++e) {
    ASSERT_EQ(table.Find(keys[e], key_of), e);
    table.Prefetch(keys[e]);
  }
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(table.Find(random(), key_of), kNoEntry);
  EXPECT_LT(table.bytes(), 100'000u * 8 * 3);
}

TEST(ClassTable, KeysThatShareTheirUpperHalfAreTold) {
  std::vector<uint64_t> keys;
  const auto key_of = [&](EntryIndex e) { return keys[e]; };
  ClassTable table;
  for (const uint64_t upper : {uint64_t{0}, uint64_t{0xffffffff}}) {  // The table wraps around after the last slot.
    for (uint64_t lower = 0; lower < 50; ++lower) keys.push_back(upper << 32 | lower);
  }
  for (EntryIndex e = 0; e < keys.size(); ++e) table.Add(keys[e], e);
  for (EntryIndex e = 0; e < keys.size(); ++e) EXPECT_EQ(table.Find(keys[e], key_of), e);
  EXPECT_EQ(table.Find(50, key_of), kNoEntry);
  EXPECT_EQ(table.Find(uint64_t{1} << 40, key_of), kNoEntry);
  EXPECT_EQ(table.LikelyEntry(uint64_t{0xffffffff} << 32), 50u);
}

}  // namespace
}  // namespace rewrought::enumerator
