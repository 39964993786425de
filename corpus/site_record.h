// A fragment and its sites in one shader in the form of the store: plain texts and numbers.
#ifndef REWROUGHT_CORPUS_SITE_RECORD_H_
#define REWROUGHT_CORPUS_SITE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::corpus {

struct FragmentRecord {
  std::string text;  // canonical; the fragment's key is the digest of this text
  int64_t nodes = 0;
  int64_t variables = 0;
  std::string widths;  // widths of variables and root, in the caller's notation
};

// The sites of a fragment in one shader that have the same flags, multi-use intermediates and facts.
struct SiteRecord {
  FragmentRecord fragment;
  int64_t count = 0;
  int64_t loop_weight = 0;     // sum over the sites of a weight that grows with loop depth
  std::vector<int32_t> lines;  // only the first kMaxLines are stored
  // The flags of the op nodes in the term's order, 4 bits per node, lowest bits first: exact, nsz, nnan, ninf. At
  // most 16 op nodes.
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;  // bit i: node i has users outside of the fragment
  std::string facts;       // summary of the facts about the variables
};
inline constexpr size_t kMaxLines = 16;

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SITE_RECORD_H_
