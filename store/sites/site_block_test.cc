#include "store/sites/site_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "corpus/site_record.h"

namespace rewrought::store {
namespace {

std::vector<SiteRow> Read(int64_t first, absl::string_view bytes) {
  std::vector<SiteRow> rows;
  SiteBlockReader reader(first, bytes);
  while (reader.Next()) rows.push_back(reader.row());
  EXPECT_TRUE(reader.status().ok()) << reader.status();
  return rows;
}

// Returns rows that contain all kinds of values: 0, small values, and the largest values.
std::vector<SiteRow> RandomRows(std::mt19937_64& random, size_t count) {
  const auto pick = [&random](uint64_t most) -> uint64_t {
    switch (random() % 4) {
      case 0:
        return 0;
      case 1:
        return most;
      case 2:
        return random() % std::min<uint64_t>(most, 200);
      default:
        return random() % most;
    }
  };
  std::vector<SiteRow> rows;
  int64_t key = static_cast<int64_t>(pick(1000000));
  while (rows.size() < count) {
    if (random() % 3 != 0) key += static_cast<int64_t>(pick(100000));
    SiteRow row{key, pick(UINT64_MAX), pick(UINT64_MAX), static_cast<int64_t>(pick(INT64_MAX)), 1, 1, {}};
    if (random() % 2 == 0)
      row.count = static_cast<int64_t>(pick(uint64_t{1} << 32)), row.loop_weight = static_cast<int64_t>(pick(99));
    row.lines.resize(random() % (corpus::kMaxLines + 1));
    for (int32_t& line : row.lines) line = static_cast<int32_t>(pick(UINT32_MAX));
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), Precedes);
  rows.erase(std::unique(rows.begin(), rows.end(), [](const SiteRow& a, const SiteRow& b) { return !Precedes(a, b); }),
             rows.end());
  return rows;
}

TEST(SiteBlockTest, RowsComeBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::vector<SiteRow> rows = RandomRows(random, 1 + random() % 40);
    SiteBlockWriter block(SIZE_MAX);
    for (const SiteRow& row : rows) ASSERT_TRUE(block.Add(row));
    EXPECT_EQ(block.first(), rows[0].key);
    EXPECT_EQ(Read(block.first(), block.bytes()), rows);
  }
}

TEST(SiteBlockTest, UsualRowsTakeFewBytes) {
  SiteBlockWriter block;
  size_t rows = 0;
  for (; block.Add(
           {.key = static_cast<int64_t>(7 + 100 * rows), .facts = 3, .count = 1, .loop_weight = 1, .lines = {40}});
       ++rows) {
  }
  EXPECT_LE(block.bytes().size(), kBlockBytes);
  EXPECT_GT(rows, kBlockBytes / 4);
  EXPECT_EQ(Read(7, block.bytes()).size(), rows);
}

// Appending to a loaded block produces the same bytes as writing the whole block.
TEST(SiteBlockTest, AppendsToALoadedBlock) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const std::vector<SiteRow> rows = RandomRows(random, 20);
    SiteBlockWriter whole(SIZE_MAX), first(SIZE_MAX), second(SIZE_MAX);
    const size_t cut = 1 + random() % rows.size();
    for (const SiteRow& row : rows) ASSERT_TRUE(whole.Add(row));
    for (size_t k = 0; k < cut; ++k) ASSERT_TRUE(first.Add(rows[k]));
    ASSERT_TRUE(second.GoOn(first.first(), first.bytes()).ok());
    for (size_t k = cut; k < rows.size(); ++k) ASSERT_TRUE(second.Add(rows[k]));
    EXPECT_EQ(second.bytes(), whole.bytes());
    EXPECT_EQ(second.first(), whole.first());
  }
}

TEST(SiteBlockTest, AFullBlockTakesRowsOfItsLastShaderOnly) {
  SiteBlockWriter block(10);
  const SiteRow row = {.key = 5, .node_flags = UINT64_MAX, .facts = 1, .count = 1, .loop_weight = 1, .lines = {}};
  ASSERT_TRUE(block.Add(row));
  SiteRow other = row, next = row;
  other.facts = 2;
  next.key = 6;
  EXPECT_TRUE(block.Add(other));
  const std::string bytes = block.bytes();
  EXPECT_FALSE(block.Add(next));
  EXPECT_EQ(block.bytes(), bytes);
  EXPECT_EQ(block.last().key, 5);
}

TEST(SiteBlockTest, NoMoreLinesThanAreKept) {
  SiteBlockWriter block;
  ASSERT_TRUE(block.Add({.key = 0, .count = 1, .loop_weight = 1, .lines = std::vector<int32_t>(100, 9)}));
  EXPECT_EQ(Read(0, block.bytes())[0].lines, std::vector<int32_t>(corpus::kMaxLines, 9));
}

// Truncated or modified bytes must either decode to rows or be reported as damaged.
TEST(SiteBlockTest, ReportsDamage) {
  std::mt19937_64 random(3);
  size_t damaged = 0;
  for (int i = 0; i < 3000; ++i) {
    SiteBlockWriter block(SIZE_MAX);
    for (const SiteRow& row : RandomRows(random, 5)) block.Add(row);
    std::string bytes = block.bytes();
    if (i % 2 == 0)
      bytes.resize(random() % bytes.size());
    else
      bytes[random() % bytes.size()] = static_cast<char>(random());
    SiteBlockReader reader(block.first(), bytes);
    int64_t key = block.first();
    while (reader.Next()) {
      EXPECT_GE(reader.row().key, key);
      EXPECT_LE(reader.row().lines.size(), corpus::kMaxLines);
      key = reader.row().key;
    }
    damaged += reader.status().ok() ? 0 : 1;
    EXPECT_FALSE(reader.Next());
  }
  EXPECT_GT(damaged, 1200u);
  // The bytes contain, in this order: a key beyond int64_t, an eleven-byte number, more lines than a row may have, and
  // a first row without facts.
  for (const absl::string_view bytes :
       {absl::string_view("\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 12),
        absl::string_view("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12),
        absl::string_view("\xe8\x00\x11\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20), absl::string_view("\x00", 1)}) {
    SiteBlockReader reader(5, bytes);
    EXPECT_FALSE(reader.Next());
    EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace rewrought::store
