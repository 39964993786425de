// Verifies candidates in the denormal modes. Each case is verified only once, because verdicts are stored together with
// the semantics under which they were reached. A stored verdict counts only if this installation reached it.
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
  std::vector<v1::CaseVerdict> cases;  // one per verified mode; only mode `none` if the rule has no float operations
  bool proved = false;                 // whether the candidate is proved in every requested mode
  bool refuted = false;                // whether the candidate is refuted in any mode
};

class CandidateVerifier {
 public:
  // Thread-safe. Does not take ownership of its arguments.
  CandidateVerifier(store::Store* store, const verifier::Prover* prover, std::stop_token stop)
      : store_(store), verified_(store), prover_(prover), stop_(std::move(stop)) {}

  // Verifies `candidate` in `modes` up to the first mode in which it is not proved, using stored verdicts where
  // possible. Returns Cancelled, without storing the current case, if a stop was requested, and InvalidArgument if the
  // candidate's program is not legal. Propagates store errors.
  absl::StatusOr<CandidateVerdict> Decide(const machine::Candidate& candidate,
                                          const std::vector<ir::DenormMode>& modes);

  // Like Decide, but compares a search side with the term that the machine or Mesa builds in its place (see
  // ReplacementTerm). Used for intermediate forms of a rule. Stores verdicts under the texts of both terms.
  absl::StatusOr<CandidateVerdict> DecideTerms(const machine::Machine& machine, const ir::Term& search,
                                               const ir::Term& replace, const std::vector<ir::DenormMode>& modes);

  // Return the number of cases that the prover decided, and the number of cases for which the store already had a
  // verdict.
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

// The number of undecided queries after which CandidateProver stops proving. An undecided query takes seconds, and
// giving up loses little, because the rule with the specific constants is already proved.
inline constexpr int kMaxUnknown = 2;

// Adapts a CandidateVerifier to the enumerator's prover interface. If `builds_as_mesa`, replacements are NIR terms, and
// the terms that Mesa builds for them are verified (ir::BuildAsMesa).
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
