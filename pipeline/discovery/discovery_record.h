// Stores the results of a discovery: its run, its statistics, and, in one transaction per fragment, the fragment's
// attempt, candidates, and rules.
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

// The run that the results belong to.
struct DiscoveryOwner {
  // The id of the caller's stored run, whose state and message the caller updates. If empty, a run is created or
  // resumed.
  std::string run;
  std::string config;  // an unfinished run is resumed only if it has the same config
  // The counts of the caller's run before the discovery. If set, the run's statistics are stored with each fragment;
  // otherwise the caller stores them.
  std::optional<v1::RunStatistics> counted_before;
};

// Not thread-safe. All functions propagate store errors.
class DiscoveryRecord {
 public:
  DiscoveryRecord(store::Store* store, DiscoveryOwner owner) : store_(store), owner_(std::move(owner)) {}

  // Creates or finds the run. Must be called first. If the run is resumed, sets `statistics` to its earlier counts.
  absl::Status Open();
  const std::string& id() const { return run_.id; }
  absl::Time started() const { return run_.started; }
  v1::RunStatistics& statistics() { return statistics_; }

  // Stores the results of the work on `fragment`, which took `milliseconds`, and adds their counts to `statistics`.
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
