// Generalizes the rules of a database, so that one general rule makes several special ones redundant.
#ifndef REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_RULES_H_
#define REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_RULES_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "pipeline/evidence/rule_verifier.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct GeneralizeRulesOptions {
  std::chrono::milliseconds limit = std::chrono::seconds(10);  // for each rule
  std::function<void(size_t done, size_t all)> progress = nullptr;
};

struct RuleGeneralization {
  std::string special, general;  // in display form
};

struct GeneralizeRulesReport {
  size_t rules = 0;                          // the number of rules that were tried
  size_t tried_before = 0;                   // the number of rules that were skipped
  std::vector<RuleGeneralization> added;     // one entry for each new rule
  std::vector<RuleGeneralization> rejected;  // general rules that the rule verifier did not confirm
  size_t derived = 0;                        // the number of rules that are redundant afterwards
};

// Generalizes each strict NIR rule of the machine at its own sizes, and stores the general rule if both solvers prove
// it in all modes in which the special rule holds, if it saves cycles on the machine, and if no stored rule with the
// same search is as cheap. Skips the rules that an earlier call of this program tried without reaching the time limit.
// If it tried any rule, recomputes which rules are redundant and what each rule saves (SettleRules). Keeps the special
// rules. Uses all cores. Returns Cancelled if the verifier was stopped; the rules added so far are stored. Propagates
// store errors.
absl::StatusOr<GeneralizeRulesReport> GeneralizeRules(store::Store* store, const machine::Machine& machine,
                                                      const RuleVerifier& verifier,
                                                      const GeneralizeRulesOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_GENERALIZE_GENERALIZE_RULES_H_
