// One nightly run: harvests, verifies rules of changed semantics, discovers, measures, exports, and compares with the
// last night. A killed night resumes when started again.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_H_
#define REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/candidate_search.h"
#include "machine/machine.h"
#include "pipeline/harvest.h"
#include "proto/rewrought/v1/run.pb.h"
#include "rules/tree_rules.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct NightlyOptions {
  std::optional<verifier::Solvers> solvers;  // none: OpenSolvers with the configured workers
  // Null: a BankSearch with default options.
  std::function<absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>>(const machine::Machine&)> make_search;
  // Applied to harvested shaders; null: none. Not owned.
  const corpus::Baseline* baseline = nullptr;
  const rules::TreeRules* tree = nullptr;  // see PackBuildOptions::tree
  std::stop_token stop;
  std::function<void(const std::string& stage, const v1::RunStatistics&)> progress;
  std::function<void(const std::string&)> time_left;  // of the stage, as text (time_left.h)
};

struct ChangedRule {
  std::string id;
  double before = 0, after = 0;  // cycles saved against the tuned baseline, both splits
};

struct NightlyMachineReport {
  std::string machine;
  v1::RunStatistics run_statistics;               // of this process's discovery for the machine
  std::vector<std::string> added, lost, refuted;  // rule ids, sorted
  std::vector<ChangedRule> changed;               // rules whose savings changed
  uint64_t rules = 0, exported = 0, blocked = 0;
  std::vector<std::string> unchanged;  // "discover", "measure", "export": steps without work to do
  std::string ended_by;                // see DiscoverReport
};

struct NightlyReport {
  std::string run;
  bool resumed = false;      // an interrupted night was resumed
  bool interrupted = false;  // stopped; starting the night again resumes it
  HarvestReport harvest;
  std::vector<NightlyMachineReport> machines;

  // Returns 0 on success, 1 if a rule was lost or refuted, and 130 if interrupted.
  int exit_code() const;
};

// Returns InvalidArgument or NotFound for a bad configuration (a machine, path or format), or store errors.
absl::StatusOr<NightlyReport> RunNightly(store::Store* store, const v1::NightlyConfig& config,
                                         const NightlyOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_H_
