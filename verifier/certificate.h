// Certificates: what a proof rests on; and their verification, which states the query again from the rule and never
// trusts the stored one.
#ifndef REWROUGHT_VERIFIER_CERTIFICATE_H_
#define REWROUGHT_VERIFIER_CERTIFICATE_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verifier/query.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"
#include "verifier/solvers.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

// One copy of the search side as certificates spell it, "otherwise=0 guided merged n2.0:3#1=0x7e00".
struct SearchCopyText {
  CopyPolicy policy;
  ChoiceLiterals literals;
};
std::string SpellCopy(const SearchCopyText& copy);
// InvalidArgument unless `text` is just what SpellCopy gives.
absl::StatusOr<SearchCopyText> ParseCopy(absl::string_view text);

// The lemmas and definitions that the proof rests on and that have an argument only (ir::ArgumentFor), by name and
// width: "ffma32". Those of all parts of a split case.
std::vector<std::string> ArguedLemmas(const Certificate& certificate);

// The version of all meaning that `rule_case` uses: that of NIR's rows, and of every row among its ops that is not
// NIR's.
std::string CaseSemanticsDigest(const RuleCase& rule_case);

// The question of a certificate of kind `tier` (kUninterpreted, kNative or kSecondSolver), stated in a fresh Dag, so
// that its text depends on the case, the copies and the semantics alone. InvalidArgument if a copy does not parse or
// names a choice that the search side does not make, or if `tier` asks no solver.
absl::StatusOr<Query> RestateQuery(const RuleCase& rule_case, const std::vector<std::string>& copies, v1::Tier tier);

// What is believed of a proof that somebody else states: nothing. Shows that `rule_case` holds the way that `claim`
// says, of which only the kind, the copies and the parts' values are used: restates the query from the case and the
// semantics, has the first solver answer it (kSecondSolver: the confirming one) and asks the confirming solver the
// same; decides kCanonical and kExhaustive anew; sees to it that some input meets the preconditions. Gives a proof as
// Prover::Prove does, its certificate fit to be kept, confirmed_by empty where the confirming solver does not decide;
// `reason` then says why. FailedPrecondition: the case does not hold that way, or the solvers disagree;
// InvalidArgument: the claim is malformed; Unavailable: not decided, with the reason; Cancelled: by `cancel`. `work_ms`
// bounds each query (verifier/budget.h).
absl::StatusOr<CaseResult> ProveAgain(const RuleCase& rule_case, const Certificate& claim, const Solvers& solvers,
                                      uint32_t work_ms, std::stop_token cancel = {});

// Whether `certificate` shows that `rule_case` holds: ProveAgain, and its semantics, digests and lemmas are those that
// the rule gives. Errors as above; FailedPrecondition also names what does not agree.
absl::Status VerifyCertificate(const RuleCase& rule_case, const Certificate& certificate, const Solvers& solvers,
                               uint32_t work_ms);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CERTIFICATE_H_
