// Represents a fragment and its sites in one shader as the store does, with plain strings and numbers.
#ifndef REWROUGHT_CORPUS_SITE_RECORD_H_
#define REWROUGHT_CORPUS_SITE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::corpus {

struct FragmentRecord {
  std::string text;  // canonical text; the fragment's key is the digest of this text
  int64_t nodes = 0;
  int64_t variables = 0;
  std::string widths;  // widths of the variables and of the root, in the caller's notation
};

// The sites of a fragment in one shader that have the same flags, multi-use intermediates, and facts.
struct SiteRecord {
  FragmentRecord fragment;
  int64_t count = 0;
  int64_t loop_weight = 0;     // sum of the weights of the sites, which grow with loop depth
  std::vector<int32_t> lines;  // only the first kMaxLines are stored
  // The flags of the op nodes (at most 16), in the order of the term. Each node has 4 bits: from the lowest, exact,
  // nsz, nnan, and ninf.
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;  // bit i is set if node i has users outside of the fragment
  std::string facts;       // summary of the facts about the variables
};
inline constexpr size_t kMaxLines = 16;

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SITE_RECORD_H_
