// Verifies a rule from its text without trusting any claim about it. Used by discovery before it keeps a rule, by
// export and merge for the rules of other installations, and by the verification of packs.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_RULE_VERIFIER_H_
#define REWROUGHT_PIPELINE_EVIDENCE_RULE_VERIFIER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "machine/candidate.h"
#include "pipeline/evidence/rule_evidence.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "verifier/budget.h"
#include "verifier/rule_case.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct RuleVerifierOptions {
  uint32_t work_ms = verifier::kVerificationWork;  // the solver budget per query
  size_t mutants = 8;
  std::stop_token stop = {};
};

// A rule and the claims about it. Of each claimed proof, only the certificate's kind and copies are used; they show how
// to prove the case again.
struct RuleClaim {
  machine::Candidate candidate;
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<v1::CaseVerdict> verdicts;
};

struct VerifiedRule {
  std::vector<v1::CaseVerdict> verdicts;  // for the cases proved again and, for an inexact rule, for the other cases
  RuleEvidence evidence;
};

// Returns the case of the candidate to which `verdict` applies. `replace` is machine::ReplacementTerm(candidate).
// Returns InvalidArgument if the rule has no such case.
absl::StatusOr<verifier::RuleCase> CaseOfClaim(const machine::Candidate& candidate, const ir::Term& replace,
                                               const v1::CaseVerdict& verdict);

class RuleVerifier {
 public:
  RuleVerifier(verifier::Solvers solvers, RuleVerifierOptions options)
      : solvers_(std::move(solvers)), options_(std::move(options)) {}

  const RuleVerifierOptions& options() const { return options_; }
  const verifier::Solvers& solvers() const { return solvers_; }

  // Proves again, with both solvers, every case claimed to be proved, and creates the evidence. Omits cases not decided
  // in time. Returns FailedPrecondition if a case or the equality over the reals does not hold, or if no case is
  // claimed to be proved; InvalidArgument if a verdict is not for a case of this rule or its certificate is malformed;
  // Unavailable if no case was decided; and Cancelled if stopped. Thread-safe.
  absl::StatusOr<VerifiedRule> Verify(const RuleClaim& claim) const;

 private:
  absl::StatusOr<std::vector<v1::CaseVerdict>> VerifyCases(const RuleClaim& claim) const;

  const verifier::Solvers solvers_;
  const RuleVerifierOptions options_;
};

// Calls `work` with each index below `count`, on `threads` threads (0 means one per core). Calls `progress`, which may
// be null, with the number of calls done, first with 0. The calls of `progress` never overlap.
void RunEach(size_t count, const std::function<void(size_t)>& work, const std::function<void(size_t)>& progress,
             size_t threads = 0);

// Calls `verify` as RunEach does, and returns the results in order.
std::vector<absl::StatusOr<VerifiedRule>> VerifyEach(size_t count,
                                                     const std::function<absl::StatusOr<VerifiedRule>(size_t)>& verify,
                                                     const std::function<void(size_t)>& progress, size_t threads = 0);

// Verifies all claims as VerifyEach does.
std::vector<absl::StatusOr<VerifiedRule>> VerifyAll(const RuleVerifier& verifier, absl::Span<const RuleClaim> claims,
                                                    const std::function<void(size_t)>& progress, size_t threads = 0);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_VERIFIER_H_
