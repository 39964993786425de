#include "ir/text/node_table.h"

#include <algorithm>
#include <utility>

namespace rewrought::ir {
namespace {

uint64_t HashText(uint64_t seed, const std::string& text) {
  for (const char c : text) seed = MixHash(seed, static_cast<unsigned char>(c));
  return MixHash(seed, text.size());
}

}  // namespace

uint64_t MixHash(uint64_t seed, uint64_t value) {
  uint64_t x = (seed ^ value) + 0x9e3779b97f4a7c15u + (seed << 6);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t MixSwizzle(uint64_t seed, const Swizzle& swizzle) {
  for (size_t c = 0; c < kShaderComponents; ++c) seed = MixHash(seed, swizzle[c]);
  if (std::equal(swizzle.begin() + kShaderComponents, swizzle.end(), kIdentitySwizzle.begin() + kShaderComponents)) {
    return seed;
  }
  for (size_t c = kShaderComponents; c < kMaxComponents; ++c) seed = MixHash(seed, swizzle[c]);
  return seed;
}

bool SameNode(const Node& a, const Node& b) {
  return a.kind == b.kind && a.bits == b.bits && a.components == b.components && a.flags == b.flags &&
         a.write_mask == b.write_mask && a.op == b.op && a.sources == b.sources && a.name == b.name &&
         a.constant_only == b.constant_only && a.typed == b.typed && a.type == b.type && a.literal == b.literal &&
         a.values == b.values && a.predicates == b.predicates;
}

uint64_t HashNode(const Node& node) {
  // Values of up to four components keep the hash that they had before wider vectors were supported, because rule ids
  // must not change.
  const bool is_short = node.components <= kShaderComponents;
  const uint64_t written = is_short ? node.write_mask & 0xfu : node.write_mask;
  uint64_t hash =
      MixHash(static_cast<uint64_t>(node.kind), node.bits | node.components << 8 | node.flags << 16 | written << 24);
  switch (node.kind) {
    case NodeKind::kVariable:
      hash = HashText(hash, node.name);
      break;
    case NodeKind::kConstant:
      hash = MixHash(hash, static_cast<uint64_t>(node.literal));
      for (int c = 0; c < (is_short ? kShaderComponents : kMaxComponents); ++c) {
        hash = MixHash(hash, node.values[static_cast<size_t>(c)]);
      }
      break;
    case NodeKind::kOp:
      hash = HashText(hash, node.op->name);
      for (const Source& source : node.sources) {
        hash = MixHash(hash, source.node);
        hash = MixSwizzle(hash, source.swizzle);
      }
      break;
  }
  return hash;
}

NodeIndex NodeTable::Intern(Node node, Term* term) {
  auto& bucket = by_hash_[HashNode(node)];
  for (const NodeIndex index : bucket) {
    if (SameNode(term->nodes[index], node)) return index;
  }
  const NodeIndex index = static_cast<NodeIndex>(term->nodes.size());
  bucket.push_back(index);
  term->nodes.push_back(std::move(node));
  return index;
}

bool SameTerm(const Term& a, const Term& b) {
  return a.root == b.root && a.nodes.size() == b.nodes.size() &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), SameNode);
}

}  // namespace rewrought::ir
