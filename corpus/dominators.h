// Which blocks of a shader every way to another one leads through: whether a value is there already.
#ifndef REWROUGHT_CORPUS_DOMINATORS_H_
#define REWROUGHT_CORPUS_DOMINATORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rewrought::corpus {

// By block of `blocks`: the nearest other one that every way to it leads through, from any block that nothing goes to.
// None for those, for blocks that cannot be reached, and where ways from several of them meet. `edges` are pairs of
// blocks, from and to. None for all where the graph is so twisted that telling it takes too long (hostile shaders).
std::vector<std::optional<uint32_t>> ImmediateDominators(size_t blocks,
                                                         const std::vector<std::pair<uint32_t, uint32_t>>& edges);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_DOMINATORS_H_
