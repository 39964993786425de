// Merges the database of a shard without trusting its rules: each rule must be verified, unless this installation has
// already verified it.
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
  std::function<void(size_t done, size_t all)> verified = nullptr;  // called while rules are verified
  std::function<bool(double share)> written = nullptr;              // like store::MergeOptions::progress
};

struct VerifiedMergeReport {
  store::MergeReport merged;
  size_t verified = 0;                    // the number of rules that this installation verified for the merge
  std::vector<RefusedRule> refused = {};  // rules not merged
};

// Merges a shard as store::Merge does, but omits the rules that `verifier` refutes or does not verify in time. Does not
// verify rules proved under other semantics, because a nightly run or an export verifies them before they are used.
// Returns Cancelled, without merging anything, if stopped, or the errors of store::Merge.
absl::StatusOr<VerifiedMergeReport> MergeVerified(store::Store* store, const std::string& shard,
                                                  const RuleVerifier& verifier, const MergeProgress& progress);

// Merges up to store::kMostShards shards as MergeVerified does. If no shard has rules, as after harvests, merges all
// shards together; otherwise, merges them one after the other. After each shard is merged, calls `merged` with its
// index. After an error, the shards reported to `merged` stay merged.
absl::Status MergeAllVerified(store::Store* store, const std::vector<std::string>& shards, const RuleVerifier& verifier,
                              const MergeProgress& progress,
                              absl::FunctionRef<void(size_t, const VerifiedMergeReport&)> merged);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_MERGE_VERIFIED_H_
