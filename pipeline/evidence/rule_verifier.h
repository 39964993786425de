// Verifies a rule from its texts, believing nothing that is said of it: for discovery, before it keeps one; for export
// and merge, of rules that another installation found; for packs, whoever wrote them.
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
  uint32_t work_ms = verifier::kStrangersWork;  // of one query
  size_t mutants = 8;
  std::stop_token stop = {};
};

// What is said of a rule. Of a proof, its certificate's kind and copies show the way to prove it again; the rest is
// not looked at.
struct RuleClaim {
  machine::Candidate candidate;
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<v1::CaseVerdict> verdicts;
};

// What was shown of it here.
struct VerifiedRule {
  std::vector<v1::CaseVerdict> verdicts;  // those that were proved again; of an inexact rule also what bits differ
  RuleEvidence evidence;
};

class RuleVerifier {
 public:
  RuleVerifier(verifier::Solvers solvers, RuleVerifierOptions options)
      : solvers_(std::move(solvers)), options_(std::move(options)) {}

  const RuleVerifierOptions& options() const { return options_; }
  const verifier::Solvers& solvers() const { return solvers_; }

  // Proves every case that is said to be proved, by both solvers, and makes the evidence anew. A case that is not
  // decided in time is left out. FailedPrecondition: a case, or the equality over the reals, does not hold, or none is
  // said to be proved; InvalidArgument: a verdict speaks of another case than the rule's, or its certificate is
  // malformed; Unavailable: no case was decided; Cancelled: stopped.
  // Thread-safe.
  absl::StatusOr<VerifiedRule> Verify(const RuleClaim& claim) const;

 private:
  absl::StatusOr<std::vector<v1::CaseVerdict>> VerifyCases(const RuleClaim& claim) const;

  const verifier::Solvers solvers_;
  const RuleVerifierOptions options_;
};

// Verifies each claim, on that many threads (0: one per core); `progress` (may be null) is told how many are done, from
// 0, one call at a time.
std::vector<absl::StatusOr<VerifiedRule>> VerifyAll(const RuleVerifier& verifier, absl::Span<const RuleClaim> claims,
                                                    const std::function<void(size_t)>& progress, size_t threads = 0);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_RULE_VERIFIER_H_
