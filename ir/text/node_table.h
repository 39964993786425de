// Hash-consing of nodes.
#ifndef REWROUGHT_IR_TEXT_NODE_TABLE_H_
#define REWROUGHT_IR_TEXT_NODE_TABLE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/term.h"

namespace rewrought::ir {

// Returns whether all fields are equal; compares sources by index.
bool SameNode(const Node& a, const Node& b);

// Returns a hash that is consistent with SameNode and the same in every run of a build.
uint64_t HashNode(const Node& node);

// Mixes `value` into `seed`; the result is the same on every machine.
uint64_t MixHash(uint64_t seed, uint64_t value);

// Mixes the lanes of `swizzle` into `seed`: always the first four, the others only if they are not the identity.
// Canonical terms and rule ids depend on this hash.
uint64_t MixSwizzle(uint64_t seed, const Swizzle& swizzle);

class NodeTable {
 public:
  // Returns the index of an equal node that Intern added before. If there is none, appends `node` to `term`.
  NodeIndex Intern(Node node, Term* term);

 private:
  absl::flat_hash_map<uint64_t, absl::InlinedVector<NodeIndex, 1>> by_hash_;
};

bool SameTerm(const Term& a, const Term& b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_NODE_TABLE_H_
