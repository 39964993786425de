#include "ir/site_flags.h"

#include <vector>

#include "ir/term_order.h"

namespace rewrought::ir {
namespace {

constexpr uint8_t kStoredFlags[] = {kExact, kNoSignedZero, kNoNan, kNoInf};
constexpr uint64_t kExactBits = 0x1111111111111111;

}  // namespace

uint64_t SiteFlagsOf(uint8_t flags) {
  uint64_t node_flags = 0;
  for (int i = 0; i < kSiteFlagBits; ++i) node_flags |= (flags & kStoredFlags[i]) != 0 ? uint64_t{1} << i : 0;
  return node_flags;
}

void ApplyNodeFlags(uint64_t node_flags, Term* term) {
  const std::vector<NodeIndex> order = OpsInPrefixOrder(*term);
  for (size_t i = 0; i < order.size(); ++i) {
    uint8_t flags = 0;
    for (int bit = 0; bit < kSiteFlagBits; ++bit) {
      if (i < kMaxFlaggedOps && (node_flags >> (kSiteFlagBits * i + bit) & 1) != 0) flags |= kStoredFlags[bit];
    }
    term->nodes[order[i]].flags = flags;
  }
}

uint64_t MeetNodeFlags(uint64_t a, uint64_t b) { return ((a | b) & kExactBits) | (a & b & ~kExactBits); }

}  // namespace rewrought::ir
