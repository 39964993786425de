// Discovery: turns fragments of the discovery sources, most shared first, into proved rules of a machine. However a
// run ends, its verified results are in the store, and the next run resumes from there.
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
  double seconds = 0;         // wall-clock limit; 0: none
  uint64_t memory_bytes = 0;  // limit on resident memory of this process; 0: none
  int threads = 0;            // 0: one per core
  // Use no clock within a fragment, and process fragments in rounds. Each fragment sees only the rules of earlier
  // rounds, so the number of threads does not matter, and the budget ends the run only between rounds. Two runs that
  // get equally far then find the same rules.
  bool deterministic = false;
  // With `deterministic`, each fragment sees only the rules that existed before its run began. The result then
  // depends neither on how fragments are divided among shards nor on where a run was killed.
  bool independent = false;
  // At the end, verify strict rules again that no second solver confirmed (VerifiedRules::ConfirmAgain), for at most
  // a tenth of `seconds`.
  bool confirm_again = true;
  int64_t max_fragments = -1;  // the maximum number of fragments to search; -1: all
  int64_t min_shaders = 1;     // in which a fragment must occur
  // Searches only part `shard` of `shards` of the fragments, divided by digest; at most store::DatabaseLock::kSlots
  // parts.
  int shard = 0, shards = 1;
  size_t max_verified = 4;  // candidates verified per fragment
  size_t mutants = 8;       // per rule
  // A rule must be proved in the first mode. The other modes in which it holds are stored with it, and its pack
  // carries the condition.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  verifier::ProverOptions prover;  // `cancel` is set by Discover
  std::string run;                 // id of the stored run that the rules belong to; if empty, a run is created
  // The earlier counts of the run that `run` names. If set, the run's statistics are stored with each fragment;
  // otherwise the caller stores them.
  std::optional<v1::RunStatistics> counted_before;
  std::stop_token stop;
  // Called after each fragment and while rules are confirmed again, one call at a time.
  std::function<void(const v1::RunStatistics&)> progress;
  // Receives the remaining time as text (time_left.h) before each call of `progress`.
  std::function<void(const std::string&)> time_left;
  WorkerBoard* workers = WorkerBoard::OfProcess();  // where threads report their work. Not owned, not null
};

struct DiscoverReport {
  v1::RunStatistics run_statistics;  // of the run, including the part before an interruption
  std::string run;
  uint64_t queries = 0;    // cases sent to the prover by this call
  uint64_t cached = 0;     // cases answered by the store
  ConfirmReport confirm;   // strict rules without a second solver's confirmation at the end
  bool finished = false;   // every fragment was searched; otherwise see `ended_by`
  bool unchanged = false;  // everything was searched before, and corpus and rules are unchanged: nothing was done
  std::string ended_by;    // "time", "memory", "stopped", "fragments"
};

// Searches every fragment that was not yet tried with this machine, semantics and search. Stores attempts,
// candidates, verdicts and rules, in one transaction per fragment. Resumes an unfinished run of the same machine and
// search. Returns FailedPrecondition, naming the process, if another process is searching some of these fragments, or
// store errors.
absl::StatusOr<DiscoverReport> Discover(store::Store* store, const machine::Machine& machine,
                                        enumerator::CandidateSearch* search, const verifier::Solvers& solvers,
                                        const DiscoverOptions& options);

// Returns the digest under which attempts of this search with these options are stored.
ir::Digest SearchDigest(const enumerator::CandidateSearch& search, const DiscoverOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_DISCOVER_H_
