// Supports trials of a machine's rules in real compilers: creates the patch for tools/driver_rig/trial and stores the
// results.
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

// Returns a name for the edits of TrialPatch. Targets with the same name can use the same patch.
std::string TrialEdits(const emitter::NirTarget& target);

// Returns the patch for the Mesa source `tree` that makes every driver call the trial's pass at all places that
// `target` supports. The patch contains the text of TrialEdits. Fails like emitter::TreePatch.
absl::StatusOr<std::string> TrialPatch(const std::string& tree, const emitter::NirTarget& target);

// Stores the results in `text`, the contents of a DRIVER.trial.json. The results replace all earlier results for the
// drivers in the file and for the rules of their machines. Skips rows of rules not in the database. Returns the number
// of rows stored. Returns InvalidArgument, without storing anything, if the document is malformed or its figures are
// not numbers; the message begins with `file`.
absl::StatusOr<uint64_t> KeepTrials(store::Store* store, absl::string_view text, absl::string_view file);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_TRIAL_H_
