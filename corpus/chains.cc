#include "corpus/chains.h"

#include <algorithm>
#include <set>

namespace rewrought::corpus {
namespace {

// The maximum number of leaves of a chain. Larger chains are ignored, as in emitter/nir/sharing.c.
constexpr size_t kMostLeaves = 17;

std::pair<ir::NodeIndex, int> KeyOf(const ir::ShaderLane& leaf) { return {leaf.node, leaf.component}; }

}  // namespace

ShaderChains::ShaderChains(const ir::Shader& shader, const std::vector<std::vector<ir::NodeIndex>>& users,
                           const std::vector<uint32_t>& outside_uses)
    : shader_(shader), users_(users), outside_uses_(outside_uses) {
  for (ir::NodeIndex node = 0; node < shader.values.nodes.size(); ++node) {
    if (!IsOfChain(node) || NextOf(node).has_value()) continue;
    std::vector<Leaf> leaves;
    CollectLeaves(node, &leaves);
    if (leaves.size() > kMostLeaves) continue;
    std::set<std::pair<ir::NodeIndex, int>> keys;
    for (const Leaf& leaf : leaves) keys.insert(KeyOf(leaf));
    for (const auto& key : keys) chains_[{shader.values.at(node).op, key}].push_back(node);
  }
}

bool ShaderChains::IsOfChain(ir::NodeIndex index) const {
  const ir::Node& node = shader_.values.at(index);
  constexpr uint32_t kWanted = ir::kCommutative | ir::kAssociative;
  return node.kind == ir::NodeKind::kOp && (node.op->properties & kWanted) == kWanted && node.sources.size() == 2 &&
         node.components == 1 && (node.flags & ir::kExact) == 0;
}

std::optional<ir::NodeIndex> ShaderChains::NextOf(ir::NodeIndex node) const {
  if (outside_uses_[node] > 0 || users_[node].size() != 1) return std::nullopt;
  const ir::NodeIndex user = users_[node][0];
  if (!IsOfChain(user) || shader_.values.at(user).op != shader_.values.at(node).op) return std::nullopt;
  return user;
}

ShaderChains::Leaf ShaderChains::SourceOf(ir::NodeIndex node, size_t source) const {
  const ir::Source& read = shader_.values.at(node).sources[source];
  return {read.node, read.swizzle[0]};
}

bool ShaderChains::IsInside(const Leaf& value, const ir::OpRow* op) const {
  return IsOfChain(value.node) && shader_.values.at(value.node).op == op && NextOf(value.node).has_value();
}

void ShaderChains::CollectLeaves(ir::NodeIndex node, std::vector<Leaf>* leaves) const {
  for (size_t s = 0; s < 2 && leaves->size() <= kMostLeaves; ++s) {
    const Leaf value = SourceOf(node, s);
    if (IsInside(value, shader_.values.at(node).op)) {
      CollectLeaves(value.node, leaves);
    } else {
      leaves->push_back(value);
    }
  }
}

int ShaderChains::ChainsWith(const ir::OpRow* op, const Leaf& x, const Leaf& y) const {
  const auto of_x = chains_.find({op, KeyOf(x)}), of_y = chains_.find({op, KeyOf(y)});
  if (of_x == chains_.end() || of_y == chains_.end()) return 0;
  std::vector<ir::NodeIndex> both;
  std::set_intersection(of_x->second.begin(), of_x->second.end(), of_y->second.begin(), of_y->second.end(),
                        std::back_inserter(both));
  return static_cast<int>(both.size());
}

int ShaderChains::Shared(ir::NodeIndex reader, size_t source, int levels) const {
  if (!IsOfChain(reader)) return 0;
  ir::NodeIndex below = reader, outer = reader;
  for (int i = 0; i < levels; ++i) {
    below = outer;
    const std::optional<ir::NodeIndex> next = NextOf(outer);
    if (!next.has_value()) return 0;
    outer = *next;
  }
  const ir::OpRow* op = shader_.values.at(reader).op;
  const Leaf value = SourceOf(reader, source), neighbour = SourceOf(reader, 1 - source);
  const Leaf partner = SourceOf(outer, SourceOf(outer, 0).node == below ? 1 : 0);
  if (IsInside(value, op) || IsInside(partner, op)) return 0;
  const int chains = ChainsWith(op, value, partner);
  if (chains < 2 || (!IsInside(neighbour, op) && chains <= ChainsWith(op, value, neighbour))) return 0;
  return chains;
}

}  // namespace rewrought::corpus
