// Finds the rules of a machine that other rules make redundant.
#ifndef REWROUGHT_PIPELINE_MINIMISE_RULES_H_
#define REWROUGHT_PIPELINE_MINIMISE_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Returns all rules of the machine, in any state, sorted by id. If `machine` is empty, returns the rules of all
// machines and of the IR. Propagates store errors.
absl::StatusOr<std::vector<store::RuleRecord>> RulesOf(store::Store* store, const std::string& machine);

struct MinimiseReport {
  uint64_t minimal = 0, derived = 0;
};

// Marks rules of `machine` as derived if other rules make them redundant (rules/subsumption.h), and marks derived rules
// as kept if they are no longer redundant. Ignores rules proved under other semantics, and lost, waived, or refuted
// rules. A program and its NIR form do not make each other redundant. Propagates store errors.
absl::StatusOr<MinimiseReport> MarkDerivedRules(store::Store* store, const machine::Machine& machine);

// Counts the rules currently marked as derived, and all other rules. Propagates store errors.
absl::StatusOr<MinimiseReport> CountDerivedRules(store::Store* store, const machine::Machine& machine);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_MINIMISE_RULES_H_
