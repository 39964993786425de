// Distinguishes the rules of a database that this installation verified itself from rules for which the database only
// claims a proof.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
#define REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_

#include <cstdint>
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

struct KnownRule {
  store::RuleRecord rule;                 // if verified, trustworthy except for the columns that WithEvidence keeps
  std::vector<v1::CaseVerdict> verdicts;  // only verdicts that this installation reached
  bool anew = false;                      // whether the rule was verified just now
  bool again = false;                     // whether it was already trusted and was verified again to be confirmed
  absl::Status status;                    // OK if the rule can be trusted; otherwise, the reason why not
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
  // neither this store nor `also` (the VerifiedRules of another store, or null) records as verified (ProveStoredRule).
  // No stored verdict, proved or refuted, counts unless this installation reached it. Also verifies recorded strict
  // rules that no second solver confirmed, if the second solver had a smaller budget or ran out of time; such a rule
  // stays trusted in any case. Stores nothing. Calls `progress` as VerifyAll does, with the number of rules to verify
  // as the second argument.
  absl::StatusOr<std::vector<KnownRule>> Check(std::vector<store::RuleRecord> rules, const RuleVerifier& verifier,
                                               VerifiedRules* also,
                                               const std::function<void(size_t, size_t)>& progress);

  // Reverifies the recorded strict rules of the machine that lack a confirmation (see Check), stores the results, and
  // counts them in `report`. Processes the rules in batches of one rule per core, and calls `progress` before each
  // batch with the number of rules done and the total. Returns Cancelled if the verifier was stopped; the results of
  // completed batches are stored.
  absl::Status ConfirmAgain(const machine::Machine& machine, const RuleVerifier& verifier,
                            const std::function<void(size_t, size_t)>& progress, ConfirmReport* report);

  // Records that this program failed to prove the rule under the current semantics with this budget. `rule` is then
  // proved again only by another program, under other semantics, or with another budget.
  absl::Status NoteFailure(const store::RuleRecord& rule, uint32_t work_ms);
  absl::StatusOr<bool> HasFailed(const store::RuleRecord& rule, uint32_t work_ms);

 private:
  struct StoredVerdicts {
    std::vector<v1::CaseVerdict> own;      // verdicts that this installation reached
    std::vector<v1::CaseVerdict> claimed;  // all other verdicts
  };
  absl::StatusOr<StoredVerdicts> VerdictsOf(const store::RuleRecord& rule, VerifiedRules* also);

  store::Store* const store_;
  store::VerifiedStore verified_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_VERIFIED_RULES_H_
