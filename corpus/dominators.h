// Computes immediate dominators, which show whether a value is available in a block.
#ifndef REWROUGHT_CORPUS_DOMINATORS_H_
#define REWROUGHT_CORPUS_DOMINATORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rewrought::corpus {

// Returns the immediate dominator of each block, where paths start at any block without predecessors. Returns nullopt
// for those blocks, for unreachable blocks, for blocks that several starts reach without a common dominator, and for
// all blocks if the computation takes too long (hostile graphs). `edges` are pairs of source and target blocks.
std::vector<std::optional<uint32_t>> ImmediateDominators(size_t blocks,
                                                         const std::vector<std::pair<uint32_t, uint32_t>>& edges);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_DOMINATORS_H_
