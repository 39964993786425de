// Encodes `exact` and the fast-math flags of a fragment's op nodes at its sites as a number. Each op node has 4 bits,
// in prefix order from the lowest bit: exact, nsz, nnan, ninf.
#ifndef REWROUGHT_IR_SITE_FLAGS_H_
#define REWROUGHT_IR_SITE_FLAGS_H_

#include <cstddef>
#include <cstdint>

#include "ir/term.h"

namespace rewrought::ir {

// The number of op nodes whose flags fit in the encoding.
inline constexpr size_t kMaxFlaggedOps = 16;

// Returns the 4 bits that encode a node's ir::NodeFlag.
inline constexpr int kSiteFlagBits = 4;
uint64_t SiteFlagsOf(uint8_t flags);

void ApplyNodeFlags(uint64_t node_flags, ir::Term* term);

// Returns the flags that permit only results permitted by both: exact if either is exact, and a permission only if both
// have it.
uint64_t MeetNodeFlags(uint64_t a, uint64_t b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SITE_FLAGS_H_
