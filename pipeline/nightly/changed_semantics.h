// Before an export, reverifies the rules that were proved under other semantics. A change to the verifier or to a
// machine description may have invalidated their proofs.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_CHANGED_SEMANTICS_H_
#define REWROUGHT_PIPELINE_NIGHTLY_CHANGED_SEMANTICS_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/float_contract.h"
#include "machine/machine.h"
#include "store/store.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

// The ids of dropped rules, in the order in which the store recorded their changes.
struct DroppedRules {
  std::vector<std::string> lost, refuted;
};

// Reverifies the machine's rules that were proved under other semantics. Marks rules that no longer hold in the first
// of `modes` as lost or refuted in `run`, and marks new rules of earlier runs as kept. Returns all rules that were lost
// or refuted in `run`, including those before an interruption. Returns Cancelled if stopped. Propagates store errors.
absl::StatusOr<DroppedRules> VerifyChangedRules(store::Store* store, const machine::Machine& machine,
                                                const verifier::Solvers& solvers,
                                                const std::vector<ir::DenormMode>& modes, const std::string& run,
                                                std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_CHANGED_SEMANTICS_H_
