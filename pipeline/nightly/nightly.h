// Executes one nightly run: harvests, verifies rules whose semantics changed, discovers, measures, exports, and
// compares the results with the previous nightly run. The next start resumes a killed run.
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
  std::optional<verifier::Solvers> solvers;  // if not set, OpenSolvers opens the configured number of workers
  // Creates the search for a machine. If null, a BankSearch with default options is used.
  std::function<absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>>(const machine::Machine&)> make_search;
  // The rules applied to harvested shaders; may be null. Not owned.
  const corpus::Baseline* baseline = nullptr;
  const rules::TreeRules* tree = nullptr;  // see PackBuildOptions::tree
  std::stop_token stop;
  std::function<void(const std::string& stage, const v1::RunStatistics&)> progress;
  // Called with the remaining time of the stage as text (time_left.h).
  std::function<void(const std::string&)> time_left;
};

struct ChangedRule {
  std::string id;
  double before = 0, after = 0;  // cycles saved relative to tuned baseline selection, in both splits
};

struct NightlyMachineReport {
  std::string machine;
  v1::RunStatistics run_statistics;               // statistics of the discovery for the machine in this process
  std::vector<std::string> added, lost, refuted;  // rule ids, sorted
  std::vector<ChangedRule> changed;               // rules whose savings changed
  uint64_t rules = 0, exported = 0, blocked = 0;
  std::vector<std::string> unchanged;  // the steps that had nothing to do: "discover", "measure", "export"
  std::string ended_by;                // as in DiscoverReport
};

struct NightlyReport {
  std::string run;
  bool resumed = false;      // whether an interrupted run was resumed
  bool interrupted = false;  // whether the run was stopped; the next start resumes it
  HarvestReport harvest;
  std::vector<NightlyMachineReport> machines;

  // Returns 0 on success, 1 if a rule was lost or refuted, and 130 if interrupted.
  int exit_code() const;
};

// Returns InvalidArgument or NotFound if the configuration names an unknown machine, path, or format. Propagates store
// errors.
absl::StatusOr<NightlyReport> RunNightly(store::Store* store, const v1::NightlyConfig& config,
                                         const NightlyOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_H_
