// Verifies the NIR rules of a pack in the dialect of the pack's target.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
#define REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

// Discovery proves rules in the dialect nir-25. If the target has another dialect, verifies each tuple that a pack for
// the target contains for `entry`, at all sizes and in all denormal modes. Returns FailedPrecondition, naming the tuple
// and the reason, if a tuple is not proved (of an inexact rule: not proved over the reals). Returns OK for machine
// programs, which no tree contains, and fails like emitter::ExpandForNir. Cancelled means that the prover was stopped.
absl::Status CheckForTarget(const v1::PackEntry& entry, const emitter::NirTarget& target, absl::string_view machine,
                            const verifier::Prover& prover);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
