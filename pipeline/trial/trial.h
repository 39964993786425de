// Trials of a machine's rules on real compilers: creates the patch for tools/driver_rig/trial and stores its results.
#ifndef REWROUGHT_PIPELINE_TRIAL_TRIAL_H_
#define REWROUGHT_PIPELINE_TRIAL_TRIAL_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "store/store.h"

namespace rewrought::pipeline {

// Names the edits of TrialPatch. Targets with the same name can use the same patch.
std::string TrialEdits(const emitter::NirTarget& target);

// Returns the patch that makes every driver call the trial's pass at all places that `target` supports. The patch
// contains TrialEdits. Returns the errors of emitter::TreePatch.
absl::StatusOr<std::string> TrialPatch(const std::string& tree, const emitter::NirTarget& target);

// Stores `text`, a DRIVER.trial.json, and replaces earlier results of its drivers and of the rules of their machines.
// Returns the number of rules stored; skips rows of rules that are not in the database. Returns InvalidArgument,
// prefixed with `file`, without storing anything, if the document is malformed or its figures are not numbers.
absl::StatusOr<uint64_t> KeepTrials(store::Store* store, absl::string_view text, absl::string_view file);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_TRIAL_H_
