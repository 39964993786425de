// `exact` and the fast-math flags of the op nodes of a fragment at its sites, as one number: 4 bits for each op node in
// prefix order, lowest first: exact, nsz, nnan, ninf.
#ifndef REWROUGHT_IR_SITE_FLAGS_H_
#define REWROUGHT_IR_SITE_FLAGS_H_

#include <cstddef>
#include <cstdint>

#include "ir/term.h"

namespace rewrought::ir {

// Op nodes that flags can be kept of (4 bits each).
inline constexpr size_t kMaxFlaggedOps = 16;

// The 4 bits of one node's ir::NodeFlag.
inline constexpr int kSiteFlagBits = 4;
uint64_t SiteFlagsOf(uint8_t flags);

// Sets the flags of the op nodes to those of `node_flags`.
void ApplyNodeFlags(uint64_t node_flags, ir::Term* term);

// The flags that permit only what both permit: exact if one is, a permission if both have it.
uint64_t MeetNodeFlags(uint64_t a, uint64_t b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SITE_FLAGS_H_
