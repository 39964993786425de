#include "corpus/dominators.h"

#include <gtest/gtest.h>

#include "ir/shader.h"

namespace rewrought::corpus {
namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

// Returns the dominator of each block as a string such as "- 0 0 1".
std::string Text(size_t blocks, const Edges& edges) {
  std::string text;
  for (const std::optional<uint32_t>& dominator : ImmediateDominators(blocks, edges)) {
    text += (text.empty() ? "" : " ") + (dominator.has_value() ? std::to_string(*dominator) : "-");
  }
  return text;
}

TEST(DominatorsTest, BranchesMeetBelowWhatTheyCameFrom) {
  EXPECT_EQ(Text(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), "- 0 0 0");
  // One branch returns, so only the other branch reaches the last block.
  EXPECT_EQ(Text(4, {{0, 1}, {0, 2}, {2, 3}}), "- 0 0 2");
}

TEST(DominatorsTest, LoopsAreEnteredAtTheirHeads) {
  // Block 1 is the loop header, 2 exits or continues, 3 branches back, and 4 follows the loop.
  EXPECT_EQ(Text(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {2, 4}}), "- 0 1 2 2");
  // In a loop with two entries, neither entry dominates the other. A separate block branches only to itself, and no
  // other block reaches it.
  EXPECT_EQ(Text(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {3, 3}}), "- 0 0 -");
}

TEST(DominatorsTest, SeveralEntriesShareNothing) {
  EXPECT_EQ(Text(4, {{0, 1}, {2, 3}}), "- 0 - 2");
  EXPECT_EQ(Text(4, {{0, 1}, {2, 3}, {1, 3}}), "- 0 - -");
  EXPECT_EQ(Text(0, {}), "");
}

// Each block of the second column has edges from the first and the last block of the first column, so finding its
// dominator requires a walk through the whole first column.
TEST(DominatorsTest, GivesUpOnHostileGraphs) {
  constexpr uint32_t kColumn = 20000;
  Edges edges;
  for (uint32_t i = 0; i + 1 < kColumn; ++i) edges.emplace_back(i, i + 1);
  for (uint32_t i = 0; i < kColumn; ++i) edges.insert(edges.end(), {{0, kColumn + i}, {kColumn - 1, kColumn + i}});
  const auto found = ImmediateDominators(2 * kColumn, edges);
  EXPECT_EQ(found, std::vector<std::optional<uint32_t>>(2 * kColumn));
}

TEST(DominatorsTest, WalksUpToTheBlock) {
  ir::Shader shader;
  shader.blocks.resize(4);
  const auto found = ImmediateDominators(4, {{0, 1}, {0, 2}, {2, 3}});
  for (size_t i = 0; i < found.size(); ++i) shader.blocks[i].dominator = found[i];
  EXPECT_TRUE(ir::Dominates(shader, 0, 3));
  EXPECT_TRUE(ir::Dominates(shader, 2, 3));
  EXPECT_TRUE(ir::Dominates(shader, 3, 3));
  EXPECT_FALSE(ir::Dominates(shader, 1, 3));
  EXPECT_FALSE(ir::Dominates(shader, 3, 0));
  shader.blocks[2].dominator = 3;  // no reader creates such a dominator
  EXPECT_FALSE(ir::Dominates(shader, 0, 3));
}

}  // namespace
}  // namespace rewrought::corpus
