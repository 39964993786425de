// Computes immediate dominators, which are used to decide whether a value is available in a block.
#ifndef REWROUGHT_CORPUS_DOMINATORS_H_
#define REWROUGHT_CORPUS_DOMINATORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rewrought::corpus {

// Returns the immediate dominator of each block, where paths start at any block without predecessors. Returns nullopt
// for these start blocks, for unreachable blocks, and for blocks that are reachable from several start blocks and have
// no common dominator. If the computation takes too long (for a hostile graph), returns nullopt for all blocks. `edges`
// are pairs of a source block and a target block.
std::vector<std::optional<uint32_t>> ImmediateDominators(size_t blocks,
                                                         const std::vector<std::pair<uint32_t, uint32_t>>& edges);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_DOMINATORS_H_
