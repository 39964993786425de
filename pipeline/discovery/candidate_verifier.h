// Verifies candidates in the three denormal modes, and never twice: verdicts are kept in the store under the semantics
// they were reached with. A stored proof counts if this installation made it.
#ifndef REWROUGHT_PIPELINE_DISCOVERY_CANDIDATE_VERIFIER_H_
#define REWROUGHT_PIPELINE_DISCOVERY_CANDIDATE_VERIFIER_H_

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
#include "store/store.h"
#include "store/verified_store.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

struct CandidateVerdict {
  std::vector<v1::CaseVerdict> cases;  // one per mode; `none` alone without floats
  bool proved = false;                 // in every mode asked
  bool refuted = false;                // in one
};

class CandidateVerifier {
 public:
  // Nothing is owned. Thread-safe.
  CandidateVerifier(store::Store* store, const verifier::Prover* prover, std::stop_token stop)
      : store_(store), verified_(store), prover_(prover), stop_(std::move(stop)) {}

  // Verifies `candidate` in `modes` up to the first in which it is not proved, or takes what the store has. Cancelled:
  // the stop token was set; nothing is stored of the case then. Else the store's errors; InvalidArgument: the
  // candidate's program is not legal.
  absl::StatusOr<CandidateVerdict> Decide(const machine::Candidate& candidate,
                                          const std::vector<ir::DenormMode>& modes);

  // The same of a search and of the term that the machine or Mesa builds for it (see ReplacementTerm), for rules on the
  // way to one that is kept. Known by the text of both.
  absl::StatusOr<CandidateVerdict> DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                               const ir::Term& replace, const std::vector<ir::DenormMode>& modes);

  // Cases that the prover was asked about, and those that the store answered.
  uint64_t asked() const { return asked_; }
  uint64_t cached() const { return cached_; }

 private:
  absl::StatusOr<CandidateVerdict> DecideCases(const ir::Digest& rule, const ir::Digest& semantics,
                                               verifier::RuleCase rule_case, const std::vector<ir::DenormMode>& modes);
  absl::StatusOr<v1::CaseVerdict> DecideCase(const ir::Digest& rule, const ir::Digest& semantics,
                                             const verifier::RuleCase& rule_case);

  store::Store* const store_;
  store::VerifiedStore verified_;
  const verifier::Prover* const prover_;
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

#endif  // REWROUGHT_PIPELINE_DISCOVERY_CANDIDATE_VERIFIER_H_
