// Certificates: what a proof rests on, as text; and their verification, which states the query again from the rule and
// never trusts the stored one.
#ifndef REWROUGHT_VERIFIER_CERTIFICATE_H_
#define REWROUGHT_VERIFIER_CERTIFICATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verifier/query.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

// One copy of the search side as certificates spell it: "otherwise=0 guided merged n2.0:3#1=0x7e00".
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

// Lines of "name value", the query last with its length in bytes before it, and after it the parts of a split case,
// each with its own length; the same certificate gives the same text. InvalidArgument, with the line, if text is
// malformed, cut short, or goes on after the query.
std::string SerializeCertificate(const Certificate& certificate);
absl::StatusOr<Certificate> ParseCertificate(absl::string_view text);

// The version of all meaning that `rule_case` uses: that of NIR's rows, and of every row among its ops that is not
// NIR's.
std::string CaseSemanticsDigest(const RuleCase& rule_case);

// The question of a certificate of kind `tier` (kUninterpreted, kNative or kSecondSolver), stated in a fresh Dag, so
// that its text depends on the case, the copies and the semantics alone. InvalidArgument if a copy does not parse or
// names a choice that the search side does not make, or if `tier` asks no solver.
absl::StatusOr<Query> RestateQuery(const RuleCase& rule_case, const std::vector<std::string>& copies, v1::Tier tier);

// Makes a prover's certificate fit to be kept: puts the restated query, the lemmas it uses and the digests in. If the
// text that was solved differs from it (names are numbered as a Dag grew), `solver` solves it again, in `timeout_ms`,
// or in the certificate's own if that is 0. FailedPrecondition if the solver finds a model, Unavailable if it does not
// decide.
absl::Status SealCertificate(const RuleCase& rule_case, Solver* solver, uint32_t timeout_ms, Certificate* certificate);

// Whether `certificate` shows that `rule_case` holds: OK if so. Compares the semantics and the digests, restates the
// query and solves it, decides kCanonical and kExhaustive again, and sees to it that some input meets the
// preconditions. FailedPrecondition names what does not agree; InvalidArgument what is malformed; Unavailable says why
// the solver (which may be null for kCanonical and kExhaustive) did not decide. `timeout_ms` as above.
absl::Status VerifyCertificate(const RuleCase& rule_case, const Certificate& certificate, Solver* solver,
                               uint32_t timeout_ms = 0);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_CERTIFICATE_H_
