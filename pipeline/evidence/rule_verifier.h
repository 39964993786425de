// Verifies a rule from its texts without trusting any claim about it. Used by discovery before it keeps a rule, by
// export and merge for rules of other installations, and for packs from anyone.
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
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct RuleVerifierOptions {
  uint32_t work_ms = verifier::kVerificationWork;  // per query
  size_t mutants = 8;
  std::stop_token stop = {};
};

// The claims about a rule. Of each proof, only the certificate's kind and copies are used, as a guide for proving the
// case again.
struct RuleClaim {
  machine::Candidate candidate;
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<v1::CaseVerdict> verdicts;
};

// The verified results for a rule.
struct VerifiedRule {
  std::vector<v1::CaseVerdict> verdicts;  // cases proved again; for an inexact rule also cases whose bits differ
  RuleEvidence evidence;
};

class RuleVerifier {
 public:
  RuleVerifier(verifier::Solvers solvers, RuleVerifierOptions options)
      : solvers_(std::move(solvers)), options_(std::move(options)) {}

  const RuleVerifierOptions& options() const { return options_; }
  const verifier::Solvers& solvers() const { return solvers_; }

  // Thread-safe. Proves every case claimed as proved with both solvers, and creates the evidence. Omits cases that
  // are not decided in time. Returns FailedPrecondition if a case or the equality over the reals does not hold, or no
  // case claims a proof; InvalidArgument if a verdict is for another rule's case or its certificate is malformed;
  // Unavailable if no case was decided; and Cancelled if stopped.
  absl::StatusOr<VerifiedRule> Verify(const RuleClaim& claim) const;

 private:
  absl::StatusOr<std::vector<v1::CaseVerdict>> VerifyCases(const RuleClaim& claim) const;

  const verifier::Solvers solvers_;
  const RuleVerifierOptions options_;
};

// Verifies all claims on `threads` threads (0: one per core). Calls `progress`, which may be null, with the number of
// claims done, starting at 0, one call at a time.
std::vector<absl::StatusOr<VerifiedRule>> VerifyAll(const RuleVerifier& verifier, absl::Span<const RuleClaim> claims,
                                                    const std::function<void(size_t)>& progress, size_t threads = 0);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_VERIFIER_H_
