// Verifies candidates in the three denormal modes with a second solver and mutants, and never twice: verdicts are kept
// in the store under the semantics they were reached with.
#ifndef REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_
#define REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "enumerator/prover_interface.h"
#include "ir/digest.h"
#include "ir/match/mesa_build.h"
#include "machine/candidate.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "server/store/store.h"
#include "verifier/oracle/mutants.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// What a verdict about `machine` rests on: NIR's semantics and the machine's description.
ir::Digest SemanticsOf(const machine::Machine& machine);

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
  absl::StatusOr<CandidateVerdict> Decide(const machine::Candidate& candidate, const std::vector<ir::DenormMode>& modes,
                                          bool confirm = false);

  // The same of a search and of the term that the machine or Mesa builds for it (see ReplacementTerm), for rules on the
  // way to one that is kept. Known by the text of both.
  absl::StatusOr<CandidateVerdict> DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                               const ir::Term& replace, const std::vector<ir::DenormMode>& modes);

  // Cases that the prover was asked about, and those that the store answered.
  uint64_t asked() const { return asked_; }
  uint64_t cached() const { return cached_; }

 private:
  absl::StatusOr<CandidateVerdict> DecideCases(const ir::Digest& rule, const ir::Digest& semantics,
                                               verifier::RuleCase rule_case, const std::vector<ir::DenormMode>& modes,
                                               bool confirm);
  absl::StatusOr<v1::CaseVerdict> DecideCase(const ir::Digest& rule, const ir::Digest& semantics,
                                             const verifier::RuleCase& rule_case, bool confirm);
  absl::StatusOr<v1::CaseVerdict> ConfirmStored(const ir::Digest& rule, const ir::Digest& semantics,
                                                const std::string& key, v1::CaseVerdict proved);

  store::Store* const store_;
  const verifier::Prover* const prover_;
  const verifier::Prover* const confirming_;
  const std::stop_token stop_;
  std::atomic<uint64_t> asked_{0}, cached_{0};
};

// What a solver leaves open twice costs seconds a time, and the rule about the constant itself is proved already.
inline constexpr int kMaxUnknown = 2;

// A CandidateVerifier as the enumerator asks for proofs; `builds_as_mesa`: replacements are NIR tuples.
class CandidateProver : public enumerator::ProverInterface {
 public:
  CandidateProver(const machine::Machine& machine, bool builds_as_mesa, CandidateVerifier* verifier)
      : machine_(machine), builds_as_mesa_(builds_as_mesa), verifier_(verifier) {}

  enumerator::ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                                         absl::Span<const ir::DenormMode> modes) override {
    enumerator::ProofResult result;
    if (unknown_ >= kMaxUnknown) return result;
    ir::Term built = replace;
    if (builds_as_mesa_) ir::BuildAsMesa(search, &built);
    const absl::StatusOr<CandidateVerdict> verdict =
        verifier_->DecideTerms(machine_, search, built, std::vector<ir::DenormMode>(modes.begin(), modes.end()));
    if (!verdict.ok()) {
      result.reason = std::string(verdict.status().message());
    } else if (verdict->proved) {
      result.outcome = enumerator::Outcome::kProved;
    } else if (verdict->refuted) {
      result.outcome = enumerator::Outcome::kRefuted;
    } else {
      ++unknown_;
    }
    return result;
  }

 private:
  const machine::Machine& machine_;
  const bool builds_as_mesa_;
  CandidateVerifier* const verifier_;
  int unknown_ = 0;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_CANDIDATE_VERIFIER_H_
