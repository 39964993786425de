// Equality and hashing of nodes over shared sources, and a table that keeps one node of each kind: hash-consing.
#ifndef REWROUGHT_IR_TEXT_NODE_TABLE_H_
#define REWROUGHT_IR_TEXT_NODE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/term.h"

namespace rewrought::ir {

// Whether two nodes are equal in every field, sources compared by index.
bool SameNode(const Node& a, const Node& b);

// A hash that agrees with SameNode; the same in every run of one build.
uint64_t HashNode(const Node& node);

// Mixes `value` into `seed`; the same on every machine.
uint64_t MixHash(uint64_t seed, uint64_t value);

// Mixes the lanes of `swizzle` into `seed`: the first four, the others only where they are not the identity. Canonical
// terms, and with them the ids of rules, depend on it.
uint64_t MixSwizzle(uint64_t seed, const Swizzle& swizzle);

// Finds nodes again in one term.
class NodeTable {
 public:
  // The index of a node equal to `node` that Intern added before, else of `node`, appended to `term`.
  NodeIndex Intern(Node node, Term* term);

 private:
  absl::flat_hash_map<uint64_t, absl::InlinedVector<NodeIndex, 1>> by_hash_;
};

// Whether two terms are equal node for node.
bool SameTerm(const Term& a, const Term& b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_NODE_TABLE_H_
