// Verifies candidates in the three denormal modes with a second solver and mutants, and never twice: verdicts are kept
// in the store under the semantics they were reached with.
#ifndef REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_
#define REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "server/pipeline/candidate.h"
#include "server/pipeline/mutants.h"
#include "server/store/store.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// What a verdict about `machine` rests on: NIR's semantics and the machine's description.
store::Digest SemanticsOf(const machine::Machine& machine);

struct CandidateVerdict {
  std::vector<v1::CaseVerdict> cases;  // one per mode; `none` alone without floats
  bool proved = false;                 // in every mode asked
  bool refuted = false;                // in one
  bool confirmed = false;              // every case by a second solver, or by exhaustion or construction
};

class CandidateVerifier {
 public:
  // `confirming` has a second solver confirm each proof (ProverOptions::confirm), `prover` does not. Nothing is owned.
  // Thread-safe.
  CandidateVerifier(store::Store* store, const verifier::Prover* prover, const verifier::Prover* confirming,
                    std::stop_token stop)
      : store_(store), prover_(prover), confirming_(confirming), stop_(std::move(stop)) {}

  // Verifies `candidate` in `modes` up to the first in which it is not proved, or takes what the store has. With
  // `confirm`, the second solver is asked the query of a proof without a confirmation. Cancelled: the stop token was
  // set; nothing is stored of the case then. Else the store's errors; InvalidArgument: the candidate's program is not
  // legal.
  absl::StatusOr<CandidateVerdict> Decide(const Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                          bool confirm = false);

  // The same of a search and of the term that the machine or Mesa builds for it (see ReplacementTerm), for rules on the
  // way to one that is kept. Known by the text of both.
  absl::StatusOr<CandidateVerdict> DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                               const ir::Term& replace, const std::vector<ir::DenormMode>& modes);

  // Cases that the prover was asked about, and those that the store answered.
  uint64_t asked() const { return asked_; }
  uint64_t cached() const { return cached_; }

 private:
  absl::StatusOr<CandidateVerdict> DecideCases(const store::Digest& rule, const store::Digest& semantics,
                                               verifier::RuleCase rule_case, const std::vector<ir::DenormMode>& modes,
                                               bool confirm);
  absl::StatusOr<v1::CaseVerdict> DecideCase(const store::Digest& rule, const store::Digest& semantics,
                                             const verifier::RuleCase& rule_case, bool confirm);
  absl::StatusOr<v1::CaseVerdict> ConfirmStored(const store::Digest& rule, const store::Digest& semantics,
                                                const std::string& key, v1::CaseVerdict proved);

  store::Store* const store_;
  const verifier::Prover* const prover_;
  const verifier::Prover* const confirming_;
  const std::stop_token stop_;
  std::atomic<uint64_t> asked_{0}, cached_{0};
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_
