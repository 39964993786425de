// Merges a shard's database and believes none of its rules: each is one of ours, or is verified first.
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
  std::string id, rule, reason;  // the rule as people write it
};

struct MergeProgress {
  std::function<void(size_t done, size_t all)> verified = nullptr;  // rules
  std::function<bool(double share)> written = nullptr;              // store::MergeOptions::progress
};

struct VerifiedMergeReport {
  store::MergeReport merged;
  size_t verified = 0;                    // rules of the shard that were not known here and were verified
  std::vector<RefusedRule> refused = {};  // of which nothing was taken
};

// As store::Merge, without the rules that `verifier` does not show, or not in time. A rule of another semantics than
// this program's is taken as it is: it is verified before it is used (the nightly job, export). Cancelled: stopped, and
// nothing was merged. Else the errors of store::Merge.
absl::StatusOr<VerifiedMergeReport> MergeVerified(store::Store* store, const std::string& shard,
                                                  const RuleVerifier& verifier, const MergeProgress& progress);

// The same for up to store::kMostShards shards: together if none has a rule, as harvests leave them, else one after the
// other. `merged` is told each, by its place, once it is kept; an error leaves those merged of which it was told.
absl::Status MergeAllVerified(store::Store* store, const std::vector<std::string>& shards, const RuleVerifier& verifier,
                              const MergeProgress& progress,
                              absl::FunctionRef<void(size_t, const VerifiedMergeReport&)> merged);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_MERGE_VERIFIED_H_
