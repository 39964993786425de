// Chooses which of a machine's rules may be exported. Data in the database that would keep a rule out of a pack is
// ignored until this installation has verified it: a refutation must be reproduced, a redundant rule must follow from
// verified rules, and savings must have been measured.
#ifndef REWROUGHT_PIPELINE_RULE_CHOICE_H_
#define REWROUGHT_PIPELINE_RULE_CHOICE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/sites/measure.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct ChosenRule {
  RankedRule row;
  std::vector<v1::CaseVerdict> verdicts;  // only verdicts that this installation reached
  absl::Status status;                    // OK if the rule holds; otherwise, the reason why it cannot be exported
  bool restored = false;                  // the rule holds, but its stored state would have kept it out of a pack
};

struct RuleChoice {
  std::vector<ChosenRule> rules;  // ranked as by RankRules
  size_t verified = 0;            // the number of rules that were not yet known to hold
};

// Verifies all rules of the machine that this installation has not verified, whatever their state and semantics are,
// and stores the results if the database is writable. Omits redundant rules, and lost or refuted rules that cannot be
// proved again. If the measured savings would keep a rule out of a pack, first measures the rules again (MeasureRules
// does nothing if this program stored the savings). Calls `progress` as VerifiedRules::Check does. Propagates store
// errors, and returns Cancelled if the verifier was stopped.
absl::StatusOr<RuleChoice> ChooseRules(store::Store* store, const machine::Machine& machine,
                                       const RuleVerifier& verifier,
                                       const std::function<void(size_t, size_t)>& progress);

// Returns OK if the measured savings allow the rule's export, or else FailedPrecondition with the reason.
absl::Status SavesOnCorpus(const RankedRule& row);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RULE_CHOICE_H_
