// Finds the stored fragments that a search matches as a whole, and counts their sites.
#ifndef REWROUGHT_PIPELINE_SITES_PATTERN_FRAGMENTS_H_
#define REWROUGHT_PIPELINE_SITES_PATTERN_FRAGMENTS_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "ir/match/match.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Parses a search side with the ops of the stored fragments. Fails with InvalidArgument if the text is not a valid
// search side or contains no op.
absl::StatusOr<ir::CompiledRule> CompilePattern(absl::string_view text);

struct MatchedFragment {
  ir::Digest digest;
  std::string text;
};

// Returns the fragments that `pattern` matches as a whole, in the order in which the store received them. Every small
// term in a shader is stored as a separate fragment, so these fragments include all matches in the shaders. Fails with
// Cancelled if `stop` is requested.
absl::StatusOr<std::vector<MatchedFragment>> FragmentsMatching(store::Store* store, const ir::CompiledRule& pattern,
                                                               std::stop_token stop);

struct SiteCounts {
  int64_t sites = 0, shaders = 0, sources = 0;
};

// Counts the sites of the fragments in both splits, and the distinct shaders and sources that contain them. Fails with
// Cancelled if `stop` is requested.
absl::StatusOr<SiteCounts> CountSites(store::Store* store, const std::vector<MatchedFragment>& fragments,
                                      const std::stop_token& stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_PATTERN_FRAGMENTS_H_
