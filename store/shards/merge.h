// Merges databases into another: how shards become what one process would have made.
#ifndef REWROUGHT_STORE_SHARDS_MERGE_H_
#define REWROUGHT_STORE_SHARDS_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "store/store.h"

namespace rewrought::store {

struct MergeOptions {
  // Shaders, fragments and sites alone cross. A shard with a rule or a verdict is refused: whoever read only shaders
  // wrote none.
  bool corpus_only = false;
  // Rules that nothing is taken of: no verdict, no measurement, no hit.
  std::vector<ir::Digest> refused = {};
  // Is told before each shard's shaders and fragments, and then now and then, of which share of the shards' fragments
  // the sites are written, 0 to 1; stops the merge by returning false.
  std::function<bool(double)> progress = nullptr;
};

// What a merge added or changed; all 0 when it is repeated.
struct MergeReport {
  int64_t shaders = 0;
  int64_t fragments = 0;
  int64_t sites = 0;  // rows
  int64_t attempts = 0;
  int64_t candidates = 0;
  int64_t verdicts = 0;
  int64_t rules = 0;
  int64_t runs = 0;
  int64_t contradictions = 0;  // cases that one database proved and the other refuted

  friend bool operator==(const MergeReport&, const MergeReport&) = default;
};

// Whether `shard` can be merged into `store`: the errors of Merge, but for those of its content.
absl::Status CheckShard(const Store* store, const std::string& shard);

// Adds what `shard` holds. Idempotent, and the order of shards does not matter: where both have a record, each kind has
// its rule for which one stays (records.h; a shader's sites are those of the greater extraction digest; a source that
// is held out anywhere is held out; a rule is created when it was first). All or nothing. The shard is only read.
// Verdicts come as what a shard says, without proof; whoever uses one proves it again (verified_store.h).
// Cancelled: `progress` stopped it, and nothing was merged. NotFound: no such file. FailedPrecondition: not ours, of
// another schema version, `store`'s own file, one with triggers or views, a part (part.h) of another corpus, or a
// fragment's digest is not that of its text.
absl::StatusOr<MergeReport> Merge(Store* store, const std::string& shard, const MergeOptions& options = {});

// How many shards are merged together: what SQLite attaches to a connection (SQLITE_MAX_ATTACHED).
constexpr size_t kMostShards = 10;

// Merges up to kMostShards shards, a report for each, and leaves what one after the other leaves; all of them or none.
// A large database's pages are read and written once for all of them.
absl::StatusOr<std::vector<MergeReport>> MergeTogether(Store* store, const std::vector<std::string>& shards,
                                                       const MergeOptions& options = {});

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_MERGE_H_
