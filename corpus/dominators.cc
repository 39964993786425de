#include "corpus/dominators.h"

namespace rewrought::corpus {
namespace {

// The maximum number of steps toward common dominators. Graphs from compilers need a few steps per edge.
constexpr uint64_t kMostSteps = uint64_t{1} << 24;

// Implements the algorithm of Cooper, Harvey, and Kennedy, "A Simple, Fast Dominance Algorithm" (2001). An additional
// root block precedes all blocks without predecessors.
class DominatorFinder {
 public:
  DominatorFinder(size_t blocks, const std::vector<std::pair<uint32_t, uint32_t>>& edges)
      : root_(static_cast<uint32_t>(blocks)),
        successors_(blocks + 1),
        predecessors_(blocks + 1),
        order_(blocks + 1, kNone),
        dominators_(blocks + 1, kNone) {
    for (const auto& [from, to] : edges) {
      successors_[from].push_back(to);
      predecessors_[to].push_back(from);
    }
    for (uint32_t block = 0; block < root_; ++block) {
      if (!predecessors_[block].empty()) continue;
      successors_[root_].push_back(block);
      predecessors_[block].push_back(root_);
    }
  }

  std::vector<std::optional<uint32_t>> Run() {
    std::vector<std::optional<uint32_t>> found(root_);
    Number();
    dominators_[root_] = root_;
    uint64_t steps = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = by_order_.size() - 1; i-- > 0;) changed |= Update(by_order_[i], &steps);
      if (steps > kMostSteps) return found;
    }
    for (uint32_t block = 0; block < root_; ++block) {
      if (dominators_[block] != kNone && dominators_[block] != root_) found[block] = dominators_[block];
    }
    return found;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Computes postorder numbers. The root has the last number.
  void Number() {
    std::vector<std::pair<uint32_t, size_t>> open = {{root_, 0}};
    std::vector<bool> seen(root_ + 1, false);
    seen[root_] = true;
    while (!open.empty()) {
      auto& [block, next] = open.back();
      if (next == successors_[block].size()) {
        order_[block] = static_cast<uint32_t>(by_order_.size());
        by_order_.push_back(block);
        open.pop_back();
        continue;
      }
      const uint32_t successor = successors_[block][next++];
      if (seen[successor]) continue;
      seen[successor] = true;
      open.emplace_back(successor, 0);
    }
  }

  bool Update(uint32_t block, uint64_t* steps) {
    uint32_t dominator = kNone;
    for (uint32_t other : predecessors_[block]) {
      if (dominators_[other] == kNone) continue;  // the block is unreachable, or has not been reached yet
      if (dominator == kNone) {
        dominator = other;
        continue;
      }
      while (dominator != other && ++*steps <= kMostSteps) {
        uint32_t& lower = order_[dominator] < order_[other] ? dominator : other;
        lower = dominators_[lower];
      }
    }
    const bool changed = dominators_[block] != dominator;
    dominators_[block] = dominator;
    return changed;
  }

  const uint32_t root_;
  std::vector<std::vector<uint32_t>> successors_, predecessors_;
  std::vector<uint32_t> order_;     // postorder number by block
  std::vector<uint32_t> by_order_;  // reachable blocks by postorder number
  std::vector<uint32_t> dominators_;
};

}  // namespace

std::vector<std::optional<uint32_t>> ImmediateDominators(size_t blocks,
                                                         const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  return DominatorFinder(blocks, edges).Run();
}

}  // namespace rewrought::corpus
