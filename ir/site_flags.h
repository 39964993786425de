// Encodes the `exact` and fast-math flags of a fragment's op nodes at a site as one number. Each op node has 4 bits, in
// prefix order from the lowest bit: exact, nsz, nnan, ninf.
#ifndef REWROUGHT_IR_SITE_FLAGS_H_
#define REWROUGHT_IR_SITE_FLAGS_H_

#include <cstddef>
#include <cstdint>

#include "ir/term.h"

namespace rewrought::ir {

// The number of op nodes whose flags fit in the encoding.
inline constexpr size_t kMaxFlaggedOps = 16;

// The number of bits per op node. SiteFlagsOf returns the bits that encode `flags`, a set of ir::NodeFlag.
inline constexpr int kSiteFlagBits = 4;
uint64_t SiteFlagsOf(uint8_t flags);

void ApplyNodeFlags(uint64_t node_flags, ir::Term* term);

// Returns the flags that permit only the results that both `a` and `b` permit: a node is exact if it is exact in
// either, and has a permission only if it has that permission in both.
uint64_t MeetNodeFlags(uint64_t a, uint64_t b);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SITE_FLAGS_H_
