// Which values of a shader are multiplied, added or compared together in several places, however these are grouped: a
// rule that puts two such values together saves an instruction wherever it is applied but the first time.
#ifndef REWROUGHT_CORPUS_CHAINS_H_
#define REWROUGHT_CORPUS_CHAINS_H_

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/shader.h"

namespace rewrought::corpus {

// A chain is a maximal tree of scalar instructions of one op that is commutative and associative (over the reals), none
// `exact`, each but its last read by one other of it alone; its leaves are the values that it reads from elsewhere. As
// emitter/nir/sharing.c tells them in a driver.
class ShaderChains {
 public:
  // `users`: ir::ReadersOf. `outside_uses`: ir::OutsideUses. Both must outlive it, as must `shader`.
  ShaderChains(const ir::Shader& shader, const std::vector<std::vector<ir::NodeIndex>>& users,
               const std::vector<uint32_t>& outside_uses);

  // The number of chains with both as leaves: source `source` of `reader`, and the other source of the instruction
  // that is `levels` on from `reader` in its chain. 0 unless there are several, and more than that source and its
  // neighbour have.
  int Shared(ir::NodeIndex reader, size_t source, int levels) const;

 private:
  using Leaf = ir::ShaderLane;
  bool IsOfChain(ir::NodeIndex node) const;
  // The instruction of the same chain that reads `node`.
  std::optional<ir::NodeIndex> NextOf(ir::NodeIndex node) const;
  Leaf SourceOf(ir::NodeIndex node, size_t source) const;
  // Whether the value that a chain's instruction of `op` reads is one of the chain.
  bool IsInside(const Leaf& value, const ir::OpRow* op) const;
  void CollectLeaves(ir::NodeIndex node, std::vector<Leaf>* leaves) const;
  int ChainsWith(const ir::OpRow* op, const Leaf& x, const Leaf& y) const;

  const ir::Shader& shader_;
  const std::vector<std::vector<ir::NodeIndex>>& users_;
  const std::vector<uint32_t>& outside_uses_;
  // By op and value, the chains that have it as a leaf, by their last instructions, in order.
  std::map<std::pair<const ir::OpRow*, std::pair<ir::NodeIndex, int>>, std::vector<ir::NodeIndex>> chains_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CHAINS_H_
