#include "ir/match/value_numbering.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace rewrought::ir {
namespace {

// Returns a key that is the same for all nodes that compute the same value.
std::string NumberOf(const Node& node) {
  std::string number = absl::StrCat(node.bits, ",", node.components);
  if (node.kind == NodeKind::kConstant) {
    absl::StrAppend(&number, "c", static_cast<int>(node.literal));
    for (int i = 0; i < node.components; ++i) absl::StrAppend(&number, ",", absl::Hex(node.values[i]));
    return number;
  }
  absl::StrAppend(&number, node.op->name);
  std::vector<std::string> sources;
  for (const Source& source : node.sources) {
    sources.push_back(absl::StrCat(";", source.node));
    for (const uint8_t lane : source.swizzle) absl::StrAppend(&sources.back(), ".", lane);
  }
  if ((node.op->properties & kCommutative) != 0 && sources.size() >= 2 && sources[1] < sources[0])
    std::swap(sources[0], sources[1]);
  for (const std::string& source : sources) number += source;
  return number;
}

}  // namespace

size_t NumberValues(Shader* shader) {
  std::vector<Node>& nodes = shader->values.nodes;
  std::vector<NodeIndex> first(nodes.size());
  // Within a list, no node's block dominates another's.
  absl::flat_hash_map<std::string, std::vector<NodeIndex>> numbers;
  size_t merged = 0;
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    first[i] = i;
    for (Source& source : nodes[i].sources) source.node = first[source.node];
    if (nodes[i].kind == NodeKind::kVariable) continue;
    const bool anywhere = nodes[i].kind == NodeKind::kConstant;
    std::vector<NodeIndex>& equal = numbers[NumberOf(nodes[i])];
    const auto found = std::find_if(equal.begin(), equal.end(), [&](NodeIndex other) {
      return anywhere || Dominates(*shader, shader->info[other].block, shader->info[i].block);
    });
    if (found == equal.end()) {
      equal.push_back(i);
      continue;
    }
    first[i] = *found;
    uint8_t& flags = nodes[*found].flags;
    flags = static_cast<uint8_t>((flags & nodes[i].flags) | ((flags | nodes[i].flags) & kExact));
    ++merged;
  }
  for (ShaderUse& use : shader->uses) {
    for (ShaderLane& read : use.reads) read.node = first[read.node];
  }
  return merged;
}

}  // namespace rewrought::ir
