// Rules that were proved under other semantics than the present: verified again before anything is exported. A fixed
// mistake of ours, or a changed description of the machine, may have been what they rested on.
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

// Ids of rules, in the order of the store's changes.
struct OutRules {
  std::vector<std::string> lost, refuted;
};

// Marks as lost or refuted, in `run`, what does not hold any longer in the first of `modes`; new rules of earlier runs
// are kept ones from now on. The rules that went out in `run`, before it was interrupted too. Cancelled: stopped; else
// the store's errors.
absl::StatusOr<OutRules> VerifyChangedRules(store::Store* store, const machine::Machine& machine,
                                            const verifier::Solvers& solvers, const std::vector<ir::DenormMode>& modes,
                                            const std::string& run, std::stop_token stop);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_CHANGED_SEMANTICS_H_
