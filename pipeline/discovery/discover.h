// Searches for cheaper programs for the fragments of the discovery sources, most promising fragments first. Proved
// programs become rules of the machine. However a run ends, its verified results are in the store, and the next run
// resumes from there.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_DISCOVER_H_
#define REWROUGHT_PIPELINE_DISCOVERY_DISCOVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/candidate_search.h"
#include "ir/digest.h"
#include "ir/float_contract.h"
#include "machine/machine.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/watch/worker_board.h"
#include "proto/rewrought/v1/run.pb.h"
#include "store/store.h"
#include "verifier/prover.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

struct DiscoverOptions {
  double seconds = 0;         // the time limit; 0 means none
  uint64_t memory_bytes = 0;  // the limit on the resident memory of this process; 0 means none
  int threads = 0;            // 0 means one per core
  // If true, fragments are processed in rounds, and no time limit applies within a fragment. The search for a fragment
  // uses only the rules of earlier rounds, so the results do not depend on the number of threads. The budget ends the
  // run only between rounds. Two runs that get equally far find the same rules.
  bool deterministic = false;
  // If this and `deterministic` are true, the search for a fragment uses only the rules that existed before the run
  // began. The result then depends neither on how the fragments are divided among shards nor on when a run was killed.
  bool independent = false;
  // If true, strict rules that no second solver confirmed are verified again at the end (VerifiedRules::ConfirmAgain),
  // for at most a tenth of `seconds`.
  bool confirm_again = true;
  int64_t max_fragments = -1;  // the maximum number of fragments to search; -1 means all
  int64_t min_shaders = 1;     // the minimum number of shaders in which a fragment must occur
  // The fragments are divided by digest into `shards` parts (at most store::DatabaseLock::kSlots), and only part
  // `shard` is searched.
  int shard = 0, shards = 1;
  size_t max_verified = 4;  // the maximum number of candidates verified per fragment
  size_t mutants = 8;       // the maximum number of mutants per rule
  // A rule must be proved in the first mode. The other modes in which it holds are stored with it, and a condition in
  // the pack restricts the rule to the modes in which it holds.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  verifier::ProverOptions prover;  // Discover sets `cancel`
  std::string run;  // the id of the stored run that the rules belong to; if empty, a run is created or resumed
  // The counts of the run `run` before this call. If set, the run's statistics are stored with each fragment; otherwise
  // the caller stores them.
  std::optional<v1::RunStatistics> counted_before;
  std::stop_token stop;
  // Called after each fragment and while rules are verified again. Calls never overlap.
  std::function<void(const v1::RunStatistics&)> progress;
  // Called with the remaining time as text (time_left.h) before each call of `progress`.
  std::function<void(const std::string&)> time_left;
  WorkerBoard* workers = WorkerBoard::OfProcess();  // where threads report their work; not owned, not null
};

struct DiscoverReport {
  v1::RunStatistics run_statistics;  // covers the whole run, including its work before an interruption
  std::string run;
  uint64_t queries = 0;    // the number of cases that the prover decided in this call
  uint64_t cached = 0;     // the number of cases for which the store already had a verdict
  ConfirmReport confirm;   // the strict rules verified again at the end
  bool finished = false;   // whether every fragment was searched; if not, see `ended_by`
  bool unchanged = false;  // whether nothing was done, because everything had been searched and nothing had changed
  std::string ended_by;    // "time", "memory", "stopped", or "fragments" (the limit max_fragments)
};

// Searches every fragment that has not been tried with this machine, semantics, and search. Stores the attempt,
// candidates, and rules of a fragment in one transaction. Resumes an unfinished run for the same machine and search.
// Returns FailedPrecondition, naming the process, if another process is searching some of these fragments. Propagates
// store errors.
absl::StatusOr<DiscoverReport> Discover(store::Store* store, const machine::Machine& machine,
                                        enumerator::CandidateSearch* search, const verifier::Solvers& solvers,
                                        const DiscoverOptions& options);

// Returns the digest under which the attempts of this search with these options are stored.
ir::Digest SearchDigest(const enumerator::CandidateSearch& search, const DiscoverOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_DISCOVER_H_
