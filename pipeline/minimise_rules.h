// Which rules of a machine the others make needless.
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

// All rules of a machine ("": of every one and of none), whatever their state, by id. The store's errors.
absl::StatusOr<std::vector<store::RuleRecord>> RulesOf(store::Store* store, const std::string& machine);

struct MinimiseReport {
  uint64_t minimal = 0, derived = 0;
};

// Marks as RuleState::kDerived what the other rules of `machine` make needless (rules/subsumption.h), and as kept again
// what they no longer do. Rules of other semantics and those lost, waived
// or refuted neither derive nor are marked. A program and its NIR form do not derive each other. The store's errors.
absl::StatusOr<MinimiseReport> MarkDerivedRules(store::Store* store, const machine::Machine& machine);

// The same numbers as the rules are marked now. The store's errors.
absl::StatusOr<MinimiseReport> CountDerivedRules(store::Store* store, const machine::Machine& machine);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_MINIMISE_RULES_H_
