// A certificate contains the evidence behind a proof. Verification restates the query from the rule and never trusts
// the stored query.
#ifndef REWROUGHT_VERIFIER_CERTIFICATE_H_
#define REWROUGHT_VERIFIER_CERTIFICATE_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "verifier/query.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"
#include "verifier/solvers.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

// Returns the lemmas and definitions in the proof that rest only on a written argument (ir::ArgumentFor), by name and
// width, such as "ffma32". For a split case, includes those of all parts.
std::vector<std::string> ArguedLemmas(const Certificate& certificate);

// Returns a digest of the semantics that `rule_case` uses: NIR's rows, and the rows of the case's ops that are not in
// NIR.
std::string CaseSemanticsDigest(const RuleCase& rule_case);

// Returns the query of a certificate of kind `tier` (TIER_UNINTERPRETED, TIER_INTEGERS, TIER_NATIVE or
// TIER_SECOND_SOLVER). Builds it in a fresh Dag, so the text depends only on the case, the copies and the semantics.
// Fails with InvalidArgument if a copy does not parse or names a choice that the search side does not make, or if
// `tier` does not use a solver.
absl::StatusOr<Query> RestateQuery(const RuleCase& rule_case, const std::vector<std::string>& copies, v1::Tier tier);

// Verifies `claim`, an untrusted proof, by the method that it states. Uses only the claim's kind, its copies, and the
// values of its parts. Restates the query from the case and the semantics. The first solver must find the query
// unsatisfiable, and then the confirming solver gets the same query; for TIER_SECOND_SOLVER, only the confirming solver
// gets the query. Decides TIER_CANONICAL and TIER_EXHAUSTIVE claims from scratch. Checks that some input satisfies the
// preconditions. Returns a proof as Prover::Prove does, with a certificate that can be stored. If the confirming solver
// does not decide, `confirmed_by` is empty and `reason` explains why.
//
// Fails with FailedPrecondition if this method does not prove the case or the solvers disagree, with InvalidArgument if
// the claim is malformed, with Unavailable (and the reason) if the case is not decided, and with Cancelled if
// cancellation is requested through `cancel`. `work_ms` bounds each query (verifier/budget.h).
absl::StatusOr<CaseResult> ProveAgain(const RuleCase& rule_case, const Certificate& claim, const Solvers& solvers,
                                      uint32_t work_ms, std::stop_token cancel = {});

// Checks that `certificate` proves `rule_case`: ProveAgain must succeed, and the semantics, digests and lemmas must
// match the rule. Fails like ProveAgain. On a mismatch, fails with FailedPrecondition and names the mismatch.
absl::Status VerifyCertificate(const RuleCase& rule_case, const Certificate& certificate, const Solvers& solvers,
                               uint32_t work_ms);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CERTIFICATE_H_
