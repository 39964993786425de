// Distinguishes the rules of a database that this installation verified itself from rules for which the database only
// claims a proof.
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

// Returns the claim about a stored rule with these verdicts. Fails like CandidateOfTexts, and with InvalidArgument if
// the rule's id does not match its text.
absl::StatusOr<RuleClaim> ClaimOfRecord(const store::RuleRecord& rule, std::vector<v1::CaseVerdict> verdicts);

struct KnownRule {
  store::RuleRecord rule;  // its `detail` contains the evidence that this installation verified
  std::vector<v1::CaseVerdict> verdicts;
  bool anew = false;    // whether the rule was verified just now
  bool again = false;   // whether it was already trusted and was verified again for a confirmation
  absl::Status status;  // OK if the rule can be trusted; otherwise, the reason why not
};

// The result of ConfirmAgain: the number of rules tried, and the number of rules that a second solver now confirms in
// all their modes.
struct ConfirmReport {
  size_t asked = 0, confirmed = 0;
};

// All functions propagate store errors.
class VerifiedRules {
 public:
  explicit VerifiedRules(store::Store* store) : store_(store), verified_(store) {}

  // Stores the verdicts, which replace earlier verdicts on the same cases, and records that this installation reached
  // them and created the rule's evidence. The caller must store the rule itself.
  absl::Status Keep(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Returns whether Keep recorded the rule with exactly this content and these `verdicts`.
  absl::StatusOr<bool> Has(const store::RuleRecord& rule, absl::Span<const v1::CaseVerdict> verdicts);

  // Returns `rules`, which must come from this store, with their verdicts. Uses all cores to verify the rules that
  // neither this store nor `also` (the VerifiedRules of another store, or null) records as verified. Also verifies
  // recorded strict rules that no second solver confirmed, if the second solver had a smaller budget or ran out of
  // time; such a rule stays trusted in any case. Stores nothing. Calls `progress` as VerifyAll does, with the number of
  // rules to verify as the second argument.
  absl::StatusOr<std::vector<KnownRule>> Check(std::vector<store::RuleRecord> rules, const RuleVerifier& verifier,
                                               VerifiedRules* also,
                                               const std::function<void(size_t, size_t)>& progress);

  // Reverifies the recorded strict rules of the machine that lack a confirmation (see Check), stores the results, and
  // counts them in `report`. Processes the rules in batches of one rule per core, and calls `progress` before each
  // batch with the number of rules done and the total. Returns Cancelled if the verifier was stopped; the results of
  // completed batches are stored.
  absl::Status ConfirmAgain(const machine::Machine& machine, const RuleVerifier& verifier,
                            const std::function<void(size_t, size_t)>& progress, ConfirmReport* report);

 private:
  store::Store* const store_;
  store::VerifiedStore verified_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
