// Creates the evidence for a rule, other than its proofs, from the rule alone: the modes in which it holds, the results
// for its mutants, its confirmations by other solvers and encodings, and the accuracy of an inexact rule.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_RULE_EVIDENCE_H_
#define REWROUGHT_PIPELINE_EVIDENCE_RULE_EVIDENCE_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/float_contract.h"
#include "machine/candidate.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/oracle/mutants.h"
#include "verifier/solver.h"

namespace rewrought::pipeline {

// The confirmer recorded for a proof that tried all inputs (verifier::ProveAgain).
inline constexpr char kExhaustion[] = "exhaustion";

struct RuleEvidence {
  std::vector<ir::DenormMode> modes;  // the modes in which a strict rule is proved or an inexact rule was verified
  verifier::MutantTally mutants;
  std::string solvers;                          // the solvers that confirmed all proofs; empty if none
  std::string encoding;                         // another encoding that agreed on vectors; empty if none
  uint64_t vectors = 0;                         // the number of vectors on which `encoding` agreed
  std::optional<v1::InexactStatement> inexact;  // set for an inexact rule
};

// Return whether a second solver confirmed the proof, or no confirmation is needed because both sides are the same by
// construction or all inputs were tried.
bool IsConfirmed(const v1::CaseVerdict& proof);
bool IsConfirmedResult(const verifier::CaseResult& proof);

// Returns the solvers that confirmed all proofs, such as "cvc5 1.0.3, exhaustion", or "" if a proof is not confirmed.
std::string ConfirmersOf(absl::Span<const v1::CaseVerdict> proofs);

// Returns whether the proof is unconfirmed and a second solver may confirm it with the budget `work_ms` per query.
bool MayBeConfirmed(const v1::CaseVerdict& proof, uint32_t work_ms);

// Creates the evidence of a strict rule, with up to `mutants` mutants. All verdicts in `proofs` must be VERDICT_PROVED.
RuleEvidence StrictEvidence(const machine::Candidate& candidate, absl::Span<const v1::CaseVerdict> proofs,
                            size_t mutants);

// Verifies a rule with `~` over the reals and creates its evidence, with up to `mutants` mutants. `solver`, which may
// be null, is queried if normal forms are inconclusive. Returns FailedPrecondition if the rule does not hold over the
// reals or the host's arithmetic contradicts it, Cancelled if a stop was requested, and InvalidArgument if the program
// is not legal.
absl::StatusOr<RuleEvidence> InexactEvidence(const machine::Candidate& candidate, verifier::Solver* solver,
                                             absl::Span<const v1::CaseVerdict> verdicts, size_t mutants,
                                             std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_EVIDENCE_H_
