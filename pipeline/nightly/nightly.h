// One night: harvest what is new, look again at rules whose semantics changed, discover, measure, export, compare with
// the last night. Killed and started again, it goes on.
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
  std::optional<verifier::Solvers> solvers;  // none: OpenSolvers with the workers that the configuration says
  // Null: BankSearch with its defaults.
  std::function<absl::StatusOr<std::unique_ptr<enumerator::CandidateSearch>>(const machine::Machine&)> make_search;
  // Shaders are harvested as its rules leave them; null: as they are. Not owned.
  const corpus::Baseline* baseline = nullptr;
  const rules::TreeRules* tree = nullptr;  // as PackBuildOptions::tree
  std::stop_token stop;
  std::function<void(const std::string& stage, const v1::RunStatistics&)> progress;
  std::function<void(const std::string&)> time_left;  // of the stage, in words (time_left.h)
};

struct ChangedRule {
  std::string id;
  double before = 0, after = 0;  // cycles saved against the tuned baseline, both splits
};

struct NightlyMachineReport {
  std::string machine;
  v1::RunStatistics run_statistics;               // of this machine's discovery in this process
  std::vector<std::string> added, lost, refuted;  // rule ids, sorted
  std::vector<ChangedRule> changed;               // worth something else than last night
  uint64_t rules = 0, exported = 0, blocked = 0;
  std::vector<std::string> unchanged;  // of "discover", "measure", "export": what had nothing to do
  std::string ended_by;                // as DiscoverReport
};

struct NightlyReport {
  std::string run;
  bool resumed = false;      // an interrupted night went on
  bool interrupted = false;  // the stop token was set: start it again to go on
  HarvestReport harvest;
  std::vector<NightlyMachineReport> machines;

  // 0: all went well; 1: a rule was lost or refuted; 130: interrupted.
  int exit_code() const;
};

// Runs the night. InvalidArgument and NotFound: the configuration (a machine, a path, a format); else the store's
// errors.
absl::StatusOr<NightlyReport> RunNightly(store::Store* store, const v1::NightlyConfig& config,
                                         const NightlyOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_H_
