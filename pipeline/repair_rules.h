// Repairs the rules of a database: proves all of them again, unless this installation has already proved them, and
// corrects what the database states about them.
#ifndef REWROUGHT_PIPELINE_REPAIR_RULES_H_
#define REWROUGHT_PIPELINE_REPAIR_RULES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/evidence/rule_verifier.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct RepairedRule {
  std::string id, rule;  // `rule` is in display form
  std::string reason;    // why the rule does not hold; empty if it was restored
};

struct RepairReport {
  size_t rules = 0;                    // rules of all machines that this program knows
  size_t verified = 0;                 // rules that were proved again because this installation had not proved them
  std::vector<RepairedRule> restored;  // rules that hold, although their stored state kept them out of packs
  std::vector<RepairedRule> failed;    // rules that do not hold or could not be proved; now marked as lost
  size_t contradictions = 0;           // contradictions that were removed because the rule was proved again
};

// Restores every rule that can be proved again, marks the other rules as lost, and then recomputes which rules are
// redundant and what each rule saves (SettleRules). Calls `progress` (may be null) with a description of the current
// step. Returns Cancelled if the verifier was stopped, and propagates store errors.
absl::StatusOr<RepairReport> RepairRules(store::Store* store, const RuleVerifier& verifier,
                                         const std::function<void(const std::string&)>& progress);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPAIR_RULES_H_
