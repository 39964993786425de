// What a discovery leaves in the store: its run and what it counts, each fragment's attempt, candidates and rules in
// one transaction.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_DISCOVERY_RECORD_H_
#define REWROUGHT_PIPELINE_DISCOVERY_DISCOVERY_RECORD_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "pipeline/discovery/fragment_work.h"
#include "pipeline/run_budget.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/records.h"
#include "store/run_store.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Whose rules and counts they are.
struct DiscoveryOwner {
  std::string run;  // of somebody else, stored, whose state and message stay his. Empty: a run is made, or found again
  std::string config;  // of a run that is made: what an unfinished one must have to be gone on with
  // Of another's run: what it counted before. Its statistics are then kept with each fragment; else they are his.
  std::optional<v1::RunStatistics> counted_before;
};

// One call at a time. Errors are the store's.
class DiscoveryRecord {
 public:
  DiscoveryRecord(store::Store* store, DiscoveryOwner owner) : store_(store), owner_(std::move(owner)) {}

  // Before all others. What a run that goes on counted is in `statistics`.
  absl::Status Open();
  const std::string& id() const { return run_.id; }
  absl::Time started() const { return run_.started; }
  v1::RunStatistics& statistics() { return statistics_; }

  // What the work on `fragment` gave in `milliseconds`; its counts are added.
  absl::Status Keep(const store::AttemptKey& key, const store::FragmentSummary& fragment, const FragmentResult& result,
                    double milliseconds);
  absl::Status Update(v1::RunState state, const std::string& message);

 private:
  absl::Status KeepRule(store::RuleRecord rule);
  absl::Status UpdateCounts();
  void Count(const FragmentResult& result);

  store::Store* const store_;
  const DiscoveryOwner owner_;
  const RunBudget::Clock::time_point opened_ = RunBudget::Clock::now();
  store::RunRecord run_;
  v1::RunStatistics statistics_;
  double seconds_before_ = 0;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_DISCOVERY_RECORD_H_
