// Proves a rule of a database again without trusting anything that the database states about it. In particular, a
// stored refutation counts only if it can be reproduced.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_STORED_RULE_H_
#define REWROUGHT_PIPELINE_EVIDENCE_STORED_RULE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "pipeline/evidence/rule_verifier.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "store/records.h"

namespace rewrought::pipeline {

// Returns the claim that consists of the stored rule and `verdicts`. Its class follows from the rule's text: a rule is
// inexact if and only if its search side contains `~`. Returns the errors of CandidateOfTexts, and InvalidArgument if
// the rule's id does not match its text.
absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts);

// Proves the rule under the current semantics of its machine. First uses the proofs in `verdicts` as hints, and decides
// the cases that `verdicts` or the rule's detail mention without a proof. If this fails, or proves fewer cases than
// were claimed, decides all cases from the rule's text alone. Appends the reproduced refutations to the verdicts of a
// strict rule. Returns the errors of RuleVerifier::Verify and ClaimOfRecord; the message names a witness if the rule is
// refuted. Thread-safe.
absl::StatusOr<VerifiedRule> ProveStoredRule(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts,
                                             const RuleVerifier& verifier);

// Returns the number of proved cases.
size_t CountProofs(absl::Span<const v1::CaseVerdict> verdicts);

// Returns the refutations in `claimed` that are reproduced by evaluating the rule on test vectors.
std::vector<v1::CaseVerdict> ReproducedRefutations(const store::RuleRecord& rule,
                                                   absl::Span<const v1::CaseVerdict> claimed);

// Returns `rule` with everything that follows from its text and from `verified`: its class, texts, flags, ops,
// semantics, and detail. Keeps its state, its reason, its fragment, generalised_from, and the run and time of its
// creation.
store::RuleRecord WithEvidence(const store::RuleRecord& rule, const machine::Candidate& candidate,
                               const VerifiedRule& verified);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_STORED_RULE_H_
