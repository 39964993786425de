// Merges a shard's database without trusting its rules: each rule is already known here or is verified first.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_MERGE_VERIFIED_H_
#define REWROUGHT_PIPELINE_EVIDENCE_MERGE_VERIFIED_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pipeline/evidence/rule_verifier.h"
#include "store/shards/merge.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct RefusedRule {
  std::string id, rule, reason;  // `rule` is in display form
};

struct MergeProgress {
  std::function<void(size_t done, size_t all)> verified = nullptr;  // rules verified, and their total
  std::function<bool(double share)> written = nullptr;              // store::MergeOptions::progress
};

struct VerifiedMergeReport {
  store::MergeReport merged;
  size_t verified = 0;                    // rules of the shard that were unknown here and were verified
  std::vector<RefusedRule> refused = {};  // rules of which nothing was merged
};

// Like store::Merge, but omits the rules that `verifier` refutes or does not verify in time. Merges rules of other
// semantics unchanged, because they are verified before use (by the nightly job or an export). Returns Cancelled,
// without merging anything, if stopped, or the errors of store::Merge.
absl::StatusOr<VerifiedMergeReport> MergeVerified(store::Store* store, const std::string& shard,
                                                  const RuleVerifier& verifier, const MergeProgress& progress);

// Like MergeVerified, for up to store::kMostShards shards: all together if none has rules, as after harvests,
// otherwise one after the other. Calls `merged` with the index of each shard after it is stored. After an error, the
// shards reported to `merged` stay merged.
absl::Status MergeAllVerified(store::Store* store, const std::vector<std::string>& shards, const RuleVerifier& verifier,
                              const MergeProgress& progress,
                              absl::FunctionRef<void(size_t, const VerifiedMergeReport&)> merged);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_MERGE_VERIFIED_H_
