// Finds pairs of values that are multiplied, added, or compared together in several places in a shader, regardless of
// how the operands are grouped. A rule that regroups such a pair saves an instruction at every application except the
// first.
#ifndef REWROUGHT_CORPUS_CHAINS_H_
#define REWROUGHT_CORPUS_CHAINS_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/shader.h"

namespace rewrought::corpus {

// A chain is a maximal tree of scalar, non-exact instructions of the same op, which must be commutative and associative
// over the reals. Each instruction except the last has exactly one user, and that user belongs to the chain. The leaves
// of a chain are the values that it reads from outside. In a driver, emitter/nir/sharing.c computes the same chains.
class ShaderChains {
 public:
  // `users` must be the result of ir::ReadersOf, and `outside_uses` that of ir::OutsideUses. All arguments must outlive
  // this object.
  ShaderChains(const ir::Shader& shader, const std::vector<std::vector<ir::NodeIndex>>& users,
               const std::vector<uint32_t>& outside_uses);

  // Counts the chains that contain two leaves: source `source` of `reader`, and the leaf that is read by the
  // instruction `levels` steps further along `reader`'s chain. Returns 0 unless at least two chains contain this pair,
  // and more chains contain it than contain the two sources of `reader`.
  int Shared(ir::NodeIndex reader, size_t source, int levels) const;

 private:
  using Leaf = ir::ShaderLane;
  bool IsOfChain(ir::NodeIndex node) const;
  // Returns the instruction of the same chain that reads `node`, or nullopt if `node` is the chain's last instruction.
  std::optional<ir::NodeIndex> NextOf(ir::NodeIndex node) const;
  Leaf SourceOf(ir::NodeIndex node, size_t source) const;
  // Returns whether `value`, a source of an instruction in a chain of `op`, is computed inside the chain.
  bool IsInside(const Leaf& value, const ir::OpRow* op) const;
  void CollectLeaves(ir::NodeIndex node, std::vector<Leaf>* leaves) const;
  int ChainsWith(const ir::OpRow* op, const Leaf& x, const Leaf& y) const;

  const ir::Shader& shader_;
  const std::vector<std::vector<ir::NodeIndex>>& users_;
  const std::vector<uint32_t>& outside_uses_;
  // Maps an op and a value to the sorted chains that have this value as a leaf. A chain is identified by its last
  // instruction.
  std::map<std::pair<const ir::OpRow*, std::pair<ir::NodeIndex, int>>, std::vector<ir::NodeIndex>> chains_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CHAINS_H_
