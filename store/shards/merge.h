// Merges databases. Merging the results of shards produces the same content as a single process.
#ifndef REWROUGHT_STORE_SHARDS_MERGE_H_
#define REWROUGHT_STORE_SHARDS_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::store {

struct MergeOptions {
  // Whether to merge only shaders, fragments, and sites. If so, a shard that contains a rule or a verdict is refused,
  // because a process that only reads shaders writes neither.
  bool corpus_only = false;
  // The rules whose verdicts, measurements, and hits are ignored.
  std::vector<ir::Digest> refused = {};
  // Decides which verdicts are taken from shards that may come from elsewhere. If null, everything is taken. Otherwise,
  // the merge
  // - takes only the verdicts for which the function returns true, and no contradictions. `shard` is the index of the
  //   verdict's shard, counted from 0.
  // - takes a rule that is not in `verified` only if the database lacks it.
  // - sets the state of each rule to new unless it is new, kept, or derived.
  std::function<absl::StatusOr<bool>(size_t shard, const VerdictRecord&)> trusts = nullptr;
  std::vector<ir::Digest> verified = {};
  // Called before each shard's shaders and fragments are merged, and then periodically. The argument, from 0 to 1, is
  // the share of the shards' fragments whose sites have been written. If the function returns false, the merge stops.
  std::function<bool(double)> progress = nullptr;
};

// The numbers of added or changed records. All are 0 if the shard was already merged.
struct MergeReport {
  int64_t shaders = 0;
  int64_t fragments = 0;
  int64_t sites = 0;  // rows
  int64_t attempts = 0;
  int64_t candidates = 0;
  int64_t verdicts = 0;
  int64_t rules = 0;
  int64_t runs = 0;
  int64_t contradictions = 0;  // cases proved in one database and refuted in the other

  friend bool operator==(const MergeReport&, const MergeReport&) = default;
};

// Checks that `shard` can be merged into `store`. Fails with the same errors as Merge, except those about the shard's
// content.
absl::Status CheckShard(const Store* store, const std::string& shard);

// Adds the content of `shard` to `store` in one transaction; the shard is only read. The result does not depend on the
// order of shards, or on whether a shard is merged more than once: if both databases have a record with the same key,
// the kind of the record determines which one is kept (records.h). If `options.trusts` is set, its restrictions take
// precedence. A shader keeps the sites that have the greater extraction digest, a source is held out if either database
// holds it out, and a rule keeps its earliest creation time. Verdicts are merged as claims, and must be proved again
// before they are used (verified_store.h). Fails with Cancelled if `progress` stops the merge, and with NotFound if the
// file does not exist. Fails with FailedPrecondition if the file is not a Rewrought database, has another schema
// version, is `store`'s own file, has foreign objects, is a part (part.h) of another corpus, or contains a fragment
// whose digest does not match its text.
absl::StatusOr<MergeReport> Merge(Store* store, const std::string& shard, const MergeOptions& options = {});

// The maximum number of shards in one merge, which is SQLite's limit on attached databases (SQLITE_MAX_ATTACHED).
constexpr size_t kMostShards = 10;

// Merges up to kMostShards shards in one transaction and returns a report for each. The result is the same as when
// merging one shard after the other, but the pages of a large database are read and written only once.
absl::StatusOr<std::vector<MergeReport>> MergeTogether(Store* store, const std::vector<std::string>& shards,
                                                       const MergeOptions& options = {});

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_MERGE_H_
