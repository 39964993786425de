// Distinguishes the rules of a database that this installation verified itself from those that the database only
// claims.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
#define REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "store/records.h"
#include "store/store.h"
#include "store/verified_store.h"

namespace rewrought::pipeline {

// Returns the claims about a stored rule. Returns the errors of CandidateOfTexts, and InvalidArgument if the rule's
// id does not match its texts.
absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts);

// A stored rule with the verdicts known here.
struct KnownRule {
  store::RuleRecord rule;  // with the evidence verified here in `detail`
  std::vector<v1::CaseVerdict> verdicts;
  bool anew = false;    // verified just now
  bool again = false;   // trusted before; now more proofs are confirmed, or known to be unconfirmed
  absl::Status status;  // OK if the rule can be trusted, otherwise the reason why not
};

// The result of ConfirmAgain: the rules tried, and those that a second solver now confirms in each mode.
struct ConfirmReport {
  size_t asked = 0, confirmed = 0;
};

// All functions return the store's errors.
class VerifiedRules {
 public:
  explicit VerifiedRules(store::Store* store) : store_(store), verified_(store) {}

  // Stores the verdicts, replacing earlier verdicts of their cases, and records that they and the rule's evidence
  // were reached here. The caller must store the rule itself.
  absl::Status Keep(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Returns whether Keep recorded the rule with exactly this content and these `verdicts`.
  absl::StatusOr<bool> Has(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Returns each of `rules`, which must come from this store, as recorded here or by `also` (another store's, or
  // null). Verifies the remaining rules with `verifier` on all cores. Also verifies recorded strict rules that no
  // second solver confirmed, if that solver had less work or ran out of time; such a rule stays trusted in any case.
  // Stores nothing. `progress` is called as by VerifyAll, with the number of rules to verify as second argument.
  absl::StatusOr<std::vector<KnownRule>> Check(std::vector<store::RuleRecord> rules, const RuleVerifier& verifier,
                                               VerifiedRules* also,
                                               const std::function<void(size_t, size_t)>& progress);

  // Verifies those strict rules of the machine again that Check would verify for lack of a confirmation, stores the
  // results, and counts them in `report`. Processes one batch per number of cores, and calls `progress` before each
  // batch with the number done and the total. Returns Cancelled if the verifier was stopped; confirmations up to then
  // are stored.
  absl::Status ConfirmAgain(const machine::Machine& machine, const RuleVerifier& verifier,
                            const std::function<void(size_t, size_t)>& progress, ConfirmReport* report);

 private:
  store::Store* const store_;
  store::VerifiedStore verified_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
