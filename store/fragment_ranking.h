// Ranks the fragments of a split by their numbers of sources, shaders, and sites.
#ifndef REWROUGHT_STORE_FRAGMENT_RANKING_H_
#define REWROUGHT_STORE_FRAGMENT_RANKING_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/records.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

struct FragmentQuery {
  Split split = Split::kDiscovery;  // only shaders and sources of this split are counted; fragments that occur in none
                                    // are omitted
  int64_t min_shaders = 1;
  int64_t max_nodes = std::numeric_limits<int64_t>::max();  // larger fragments are skipped without being read
  int64_t limit = -1;                                       // -1 means no limit
  // Omits fragments that have an attempt with this key (the key's fragment is ignored). If `retry_cut_short` is set,
  // attempts that were cut short do not count.
  std::optional<AttemptKey> untried;
  bool retry_cut_short = false;
};

// Calls `visit` for fragments in descending order of their numbers of sources, shaders, and sites, then in ascending
// order of digests. The numbers refer to the query's split. Needs 72 bytes of memory per visited fragment. Fails with
// the errors in sqlite/error.h, the errors of ForEachSiteRow, and the first error of `visit`.
absl::Status RankFragments(sqlite::Database& reader, const FragmentQuery& query,
                           absl::FunctionRef<absl::Status(const FragmentSummary&)> visit);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_FRAGMENT_RANKING_H_
