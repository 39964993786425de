// A fragment and its sites in one shader, as the store keeps them: plain texts and numbers.
#ifndef REWROUGHT_CORPUS_SITE_RECORD_H_
#define REWROUGHT_CORPUS_SITE_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rewrought::corpus {

struct FragmentRecord {
  std::string text;  // canonical; its digest is the fragment's key
  int64_t nodes = 0;
  int64_t variables = 0;
  std::string widths;  // of variables and root, as the caller spells them
};

// A fragment's sites in one shader under one combination of flags, multi-use intermediates and facts.
struct SiteRecord {
  FragmentRecord fragment;
  int64_t count = 0;
  int64_t loop_weight = 0;     // sum over the sites of a weight that grows with loop depth
  std::vector<int32_t> lines;  // the first kMaxLines are kept
  // 4 bits per op node in the term's order, lowest first: exact, nsz, nnan, ninf. Up to 16 op nodes.
  uint64_t node_flags = 0;
  uint64_t multi_use = 0;  // bit i: node i has users outside
  std::string facts;       // summary of what is known of the variables
};
inline constexpr size_t kMaxLines = 16;

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SITE_RECORD_H_
