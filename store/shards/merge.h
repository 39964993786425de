// Merges databases, so that shards produce the same content as a single process.
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
  // Merge only shaders, fragments and sites. Refuse a shard with a rule or verdict, because a process that only reads
  // shaders writes neither.
  bool corpus_only = false;
  // Rules whose verdicts, measurements and hits are ignored.
  std::vector<ir::Digest> refused = {};
  // Called before each shard's shaders and fragments are merged, and then periodically with the share of the shards'
  // fragments whose sites are written, from 0 to 1. Returning false stops the merge.
  std::function<bool(double)> progress = nullptr;
};

// The numbers of added or changed records. All are 0 if the merge is repeated.
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

// Checks that `shard` can be merged into `store`. Fails with the errors of Merge, except those about the shard's
// content.
absl::Status CheckShard(const Store* store, const std::string& shard);

// Adds the content of `shard` in one transaction; the shard is only read. Merging is idempotent and independent of
// the order of shards: for records in both databases, each kind has a rule for which record is kept (records.h). A
// shader's sites are those with the greater extraction digest, a source that is held out anywhere is held out, and a
// rule's creation is the earliest one. Verdicts are merged as claims; whoever uses one must prove it again
// (verified_store.h). Fails with Cancelled if `progress` stops the merge, with NotFound if the file does not exist,
// and with FailedPrecondition if the file is not a Rewrought database, has another schema version, is `store`'s own
// file, has triggers or views, is a part (part.h) of another corpus, or if a fragment's digest does not match its
// text.
absl::StatusOr<MergeReport> Merge(Store* store, const std::string& shard, const MergeOptions& options = {});

// The maximum number of shards in one merge, which is SQLite's limit of attached databases (SQLITE_MAX_ATTACHED).
constexpr size_t kMostShards = 10;

// Merges up to kMostShards shards in one transaction and returns a report for each. The result is the same as merging
// one after the other, but the pages of a large database are read and written only once.
absl::StatusOr<std::vector<MergeReport>> MergeTogether(Store* store, const std::vector<std::string>& shards,
                                                       const MergeOptions& options = {});

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SHARDS_MERGE_H_
