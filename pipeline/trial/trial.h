// What real compilers make of a machine's rules: the packs and the patch that tools/driver_rig/trial is given, and its
// results kept in the store.
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

// Names what TrialPatch changes: two targets with the same name need no other patch.
std::string TrialEdits(const emitter::NirTarget& target);

// The patch that makes every driver call the trial's pass at all places where `target` knows how. It has TrialEdits in
// it. Errors as emitter::TreePatch.
absl::StatusOr<std::string> TrialPatch(const std::string& tree, const emitter::NirTarget& target);

// Keeps `text`, a DRIVER.trial.json, in place of what there was for its drivers and the rules of their machines. How
// many rules were kept; rows of rules that the database does not have are left out. InvalidArgument, with `file` before
// it: not such a document, or figures that are none. Nothing is kept then.
absl::StatusOr<uint64_t> KeepTrials(store::Store* store, absl::string_view text, absl::string_view file);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_TRIAL_H_
