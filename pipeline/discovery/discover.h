// Discovery: fragments of the discovery sources, most shared first, to proved rules of a machine. Whatever ends it,
// what was verified is in the store, and the next run goes on from there.
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
  double seconds = 0;         // wall clock; 0: none
  uint64_t memory_bytes = 0;  // resident in this process; 0: none
  int threads = 0;            // 0: one per core
  // No clock inside of a fragment, and fragments in rounds: each sees the rules of the rounds before, so that how many
  // threads share a round changes nothing; the budget ends the run between rounds. Two runs that get equally far then
  // find the same.
  bool deterministic = false;
  // With `deterministic`: each fragment sees only the rules that were there before its run began, whatever the run has
  // found since. What is found then depends neither on how fragments are shared out, nor on where a run was killed.
  bool independent = false;
  // At the end strict rules that no second solver confirmed are asked about again (VerifiedRules::ConfirmAgain), for a
  // tenth of `seconds` at most.
  bool confirm_again = true;
  int64_t max_fragments = -1;  // looked at; -1: all
  int64_t min_shaders = 1;     // that a fragment must occur in
  // Looks at one part of the fragments, by their digest: part `shard` of `shards`, at most store::DatabaseLock::kSlots.
  int shard = 0, shards = 1;
  size_t max_verified = 4;  // candidates verified per fragment
  size_t mutants = 8;       // per rule
  // A rule must be proved in the first; which of the others hold is kept with it, and its pack carries the condition.
  std::vector<ir::DenormMode> modes = {ir::DenormMode::kAny, ir::DenormMode::kFlush, ir::DenormMode::kPreserve};
  verifier::ProverOptions prover;  // `cancel` is set by Discover
  std::string run;                 // id of the run that the rules belong to; must be stored. Empty: a run is made
  // Of a run that `run` names: what it counted before. Its statistics are then kept with each fragment; else they are
  // the caller's.
  std::optional<v1::RunStatistics> counted_before;
  std::stop_token stop;
  // After each fragment, and while rules are asked about again; one call at a time.
  std::function<void(const v1::RunStatistics&)> progress;
  // How long it may still take, in words (time_left.h); before each call of `progress`.
  std::function<void(const std::string&)> time_left;
  WorkerBoard* workers = WorkerBoard::OfProcess();  // where its threads tell what they do. Not owned, not null
};

struct DiscoverReport {
  v1::RunStatistics run_statistics;  // of the run, what it did before it was interrupted included
  std::string run;
  uint64_t queries = 0;    // cases that the prover was asked about now
  uint64_t cached = 0;     // cases that the store answered
  ConfirmReport confirm;   // strict rules that had no second solver's word when all else was done
  bool finished = false;   // every fragment was looked at; else `ended_by`
  bool unchanged = false;  // all was looked at before, and corpus and rules are what they were: nothing was done
  std::string ended_by;    // "time", "memory", "stopped", "fragments"
};

// Searches every fragment that was not tried with this machine, semantics and search, and stores attempts, candidates,
// verdicts and rules, each fragment's in one transaction. An unfinished run of the same machine and search goes on.
// FailedPrecondition: another process, which the message names, searches some of these fragments now; else the store's
// errors.
absl::StatusOr<DiscoverReport> Discover(store::Store* store, const machine::Machine& machine,
                                        enumerator::CandidateSearch* search, const verifier::Solvers& solvers,
                                        const DiscoverOptions& options);

// The digest under which attempts of this search with these options are kept.
ir::Digest SearchDigest(const enumerator::CandidateSearch& search, const DiscoverOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_DISCOVERY_DISCOVER_H_
