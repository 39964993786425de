// What stands beside a rule's proofs: in which modes it holds, its mutants, its confirmations through another encoding
// and, for an inexact rule, its statement. Made here and nowhere else, from the rule alone.
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
  std::vector<ir::DenormMode> modes;  // in which it is proved (for an inexact rule: verified)
  verifier::MutantTally mutants;
  std::string solvers;                          // that confirmed it; empty: none did
  std::string encoding;                         // through which vectors agreed; empty: none
  uint64_t vectors = 0;                         // of `encoding`
  std::optional<v1::InexactStatement> inexact;  // makes it an inexact rule
};

// Whether a second solver agreed with a proof, or none is needed: by construction, by trying all inputs.
bool IsConfirmed(const v1::CaseVerdict& proof);

// Whether a proof that no second solver agreed with may get one by asking it again, with so much work for the query.
bool MayBeConfirmed(const v1::CaseVerdict& proof, uint32_t work_ms);

// The evidence of a strict rule whose verdicts are `proofs`, all of them proofs; up to `mutants` of its neighbours.
RuleEvidence StrictEvidence(const machine::Candidate& candidate, absl::Span<const v1::CaseVerdict> proofs,
                            size_t mutants);

// The evidence of a rule with `~`, verified over the reals anew. `solver` (for what normal forms do not decide) may be
// null. FailedPrecondition: it is not equal over the reals, its replacement loses digits that the search side keeps, or
// the host's arithmetic disagrees; Cancelled: `stop`; InvalidArgument: the program is not legal.
absl::StatusOr<RuleEvidence> InexactEvidence(const machine::Candidate& candidate, verifier::Solver* solver,
                                             absl::Span<const v1::CaseVerdict> verdicts, size_t mutants,
                                             std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_EVIDENCE_H_
