// The rules of a database that this installation verified itself, told from those that the database merely claims.
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

// What is said of a stored rule. Errors of CandidateOfTexts; InvalidArgument: the rule's id is not that of its texts.
absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts);

// A stored rule as it is known here.
struct KnownRule {
  store::RuleRecord rule;  // `detail` is what was shown here
  std::vector<v1::CaseVerdict> verdicts;
  bool anew = false;   // verified just now
  bool again = false;  // it was believed before; now more of its proofs are confirmed, or it is known that they are not
  absl::Status status;  // why it is not to be believed; OK: it is
};

// What ConfirmAgain did: rules asked about, and of them those that a second solver has confirmed in each mode now.
struct ConfirmReport {
  size_t asked = 0, confirmed = 0;
};

// Functions give the store's errors.
class VerifiedRules {
 public:
  explicit VerifiedRules(store::Store* store) : store_(store), verified_(store) {}

  // Stores the verdicts in place of what was said of their cases, and notes that they, and the rule's evidence with
  // them, were reached here. The rule itself is the caller's to store.
  absl::Status Keep(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Whether Keep noted the rule, with all that it and `verdicts` say. Any other byte of them, and it did not.
  absl::StatusOr<bool> Has(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Each of `rules`, which are this store's: as it was noted here or by `also` (another store's, or null), or verified
  // now by `verifier`, on all cores. So is a strict rule that was noted before a second solver confirmed it, if that
  // was asked with less work or its time was over; it stays believed whatever comes of it. Nothing is stored.
  // `progress`: as VerifyAll, with how many there are to verify.
  absl::StatusOr<std::vector<KnownRule>> Check(std::vector<store::RuleRecord> rules, const RuleVerifier& verifier,
                                               VerifiedRules* also,
                                               const std::function<void(size_t, size_t)>& progress);

  // Asks again about the machine's strict rules that Check would ask about for want of a confirmation, and stores what
  // is known of them then; `report` counts. As many at once as there are cores, `progress` before each such round: how
  // many of how many were asked about. Cancelled: the verifier was stopped; what was confirmed by then is stored.
  absl::Status ConfirmAgain(const machine::Machine& machine, const RuleVerifier& verifier,
                            const std::function<void(size_t, size_t)>& progress, ConfirmReport* report);

 private:
  store::Store* const store_;
  store::VerifiedStore verified_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
