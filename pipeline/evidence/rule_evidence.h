// The evidence besides a rule's proofs: the modes in which it holds, its mutants, its confirmations through another
// encoding and, for an inexact rule, its statement. All evidence is created here, from the rule alone.
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

struct RuleEvidence {
  std::vector<ir::DenormMode> modes;  // in which the rule is proved (inexact rules: verified)
  verifier::MutantTally mutants;
  std::string solvers;                          // that confirmed the rule; empty if none did
  std::string encoding;                         // another encoding that agreed on vectors; empty if none did
  uint64_t vectors = 0;                         // for `encoding`
  std::optional<v1::InexactStatement> inexact;  // set for an inexact rule
};

// Returns whether a second solver confirmed the proof, or none is needed because it holds by construction or for all
// inputs.
bool IsConfirmed(const v1::CaseVerdict& proof);

// Returns whether a proof without confirmation may be confirmed by trying again with `work_ms` per query.
bool MayBeConfirmed(const v1::CaseVerdict& proof, uint32_t work_ms);

// Creates the evidence of a strict rule, whose verdicts `proofs` must all be proofs, with up to `mutants` mutants.
RuleEvidence StrictEvidence(const machine::Candidate& candidate, absl::Span<const v1::CaseVerdict> proofs,
                            size_t mutants);

// Verifies a rule with `~` over the reals and creates its evidence. `solver`, used where normal forms do not decide,
// may be null. Returns FailedPrecondition if the rule is not equal over the reals, its replacement loses digits that
// the search side keeps, or the host's arithmetic disagrees; Cancelled if `stop` was requested; and InvalidArgument
// if the program is not legal.
absl::StatusOr<RuleEvidence> InexactEvidence(const machine::Candidate& candidate, verifier::Solver* solver,
                                             absl::Span<const v1::CaseVerdict> verdicts, size_t mutants,
                                             std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_EVIDENCE_H_
