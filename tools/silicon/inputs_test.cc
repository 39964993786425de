#include "tools/silicon/inputs.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "ir/scalar.h"

namespace rewrought::silicon {
namespace {

Case CaseOf(int words, int predicates) {
  Case one;
  one.text = "[X]";
  for (int i = 0; i < words; ++i) one.inputs.push_back({std::string(1, static_cast<char>('a' + i))});
  for (int i = 0; i < predicates; ++i) one.inputs.push_back({std::string(1, static_cast<char>('p' + i)), 1});
  return one;
}

Lanes LanesOf(const Case& one, uint64_t wanted, uint64_t seed = 1) { return Lanes(one, nullptr, {}, seed, wanted); }

TEST(InputsTest, EdgesHoldEvery16BitPatternInEachForm) {
  const Lanes lanes = LanesOf(CaseOf(1, 0), 4'000'000);
  const std::vector<uint64_t> values = lanes.Fill(0, lanes.edges())[0];
  const std::set<uint64_t> seen(values.begin(), values.end());
  for (uint64_t half = 0; half < 65536; ++half) {
    for (const uint64_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      ASSERT_TRUE(seen.contains(half << 16 | low)) << half;
    ASSERT_TRUE(seen.contains(static_cast<uint64_t>(ir::SignExtend(half, 16)) & 0xffffffffu)) << half;
    // Every half-precision float also occurs converted to a 32-bit float. NaNs lose their payload in the conversion.
    if (ir::IsNan(half, 16)) continue;
    ASSERT_TRUE(seen.contains(ir::FloatToBits(ir::BitsToFloat(half, 16), 32))) << half;
  }
}

TEST(InputsTest, TwoOperandsMeetEachOthersEdges) {
  const Lanes lanes = LanesOf(CaseOf(2, 0), 100'000'000);
  ASSERT_LT(lanes.edges(), 50'000'000u);
  const auto values = lanes.Fill(0, lanes.edges());
  std::set<uint64_t> pairs, halves;
  for (size_t lane = 0; lane < lanes.edges(); ++lane) {
    pairs.insert(values[0][lane] << 32 | values[1][lane]);
    if (values[1][lane] == 0x7f800000u) halves.insert(values[0][lane]);
  }
  const std::vector<uint64_t> specials = {0,           0x80000000u, 1,           0x807fffffu, 0x00800000u, 0x3f800000u,
                                          0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x7f800001u, 0x7fc00000u};
  for (const uint64_t x : specials) {
    for (const uint64_t y : specials) EXPECT_TRUE(pairs.contains(x << 32 | y)) << x << " " << y;
  }
  for (uint64_t half = 0; half < 0x7c00; ++half)
    ASSERT_TRUE(halves.contains(ir::FloatToBits(ir::BitsToFloat(half, 16), 32))) << half;
}

TEST(InputsTest, BooleansAreTriedAll) {
  const Lanes lanes = LanesOf(CaseOf(0, 2), 100'000'000);
  EXPECT_EQ(lanes.count(), 4u);
  const auto values = lanes.Fill(0, 4);
  std::set<uint64_t> seen;
  for (size_t lane = 0; lane < 4; ++lane) seen.insert(values[0][lane] | values[1][lane] << 1);
  EXPECT_EQ(seen.size(), 4u);
}

TEST(InputsTest, LanesFollowFromTheirNumberAndSeed) {
  const Lanes lanes = LanesOf(CaseOf(3, 1), 1 << 20);
  const auto all = lanes.Fill(0, 1 << 18);
  for (const uint64_t first : {uint64_t{0}, uint64_t{64 * kLaneGroup}, uint64_t{255 * kLaneGroup}}) {
    const auto part = lanes.Fill(first, kLaneGroup);
    for (size_t i = 0; i < part.size(); ++i)
      EXPECT_TRUE(std::equal(part[i].begin(), part[i].end(), all[i].begin() + static_cast<std::ptrdiff_t>(first)));
  }
  EXPECT_NE(LanesOf(CaseOf(3, 1), 1 << 20, 2).Fill(1 << 19, kLaneGroup), lanes.Fill(1 << 19, kLaneGroup));
  for (size_t lane = 0; lane < all[0].size(); ++lane) {
    for (int i = 0; i < 3; ++i) ASSERT_LE(all[i][lane], 0xffffffffu);
    ASSERT_LE(all[3][lane], 1u);
  }
}

// If there are few lanes, the edge cases are selected evenly from the list, and random values follow.
TEST(InputsTest, FewLanesAreSpread) {
  const Lanes lanes = LanesOf(CaseOf(2, 0), 8192);
  EXPECT_EQ(lanes.edges(), 4096u);
  EXPECT_EQ(lanes.count(), 8192u);
  const auto values = lanes.Fill(0, 8192);
  std::set<uint64_t> edges(values[0].begin(), values[0].begin() + 4096);
  std::set<uint64_t> random(values[0].begin() + 4096, values[0].end());
  EXPECT_GT(edges.size(), 100u);
  EXPECT_GT(random.size(), 3000u);
  EXPECT_EQ(LanesOf(CaseOf(2, 0), 100).Fill(0, 100)[0].size(), 100u);
}

}  // namespace
}  // namespace rewrought::silicon
