// Which fragments are worth a search: those of a split by how many sources, shaders and sites have them.
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
  Split split = Split::kDiscovery;  // of shaders and sources that are counted; fragments without any are left out
  int64_t min_shaders = 1;
  int64_t max_nodes = std::numeric_limits<int64_t>::max();  // larger ones are left out, and not looked at
  int64_t limit = -1;                                       // -1: all
  // Leaves out fragments that have an attempt under this key (its fragment is ignored), unless it was cut short and
  // `retry_cut_short` is set.
  std::optional<AttemptKey> untried;
  bool retry_cut_short = false;
};

// Calls `visit` for fragments by number of sources, shaders, sites (all falling), then digest. The counts are of the
// query's split. Takes 72 bytes of memory for each fragment that is left. Errors: those of sqlite/error.h and of
// ForEachSiteRow; the first of `visit` ends it.
absl::Status RankFragments(sqlite::Database& reader, const FragmentQuery& query,
                           absl::FunctionRef<absl::Status(const FragmentSummary&)> visit);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_FRAGMENT_RANKING_H_
