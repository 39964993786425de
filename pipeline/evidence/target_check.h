// Verifies the NIR rules of a pack in the dialect of the pack's target.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
#define REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/prover.h"

namespace rewrought::pipeline {

struct ModesForTarget {
  std::set<v1::DenormMode> hold, fail;  // the modes of the entry's proofs
  std::string reason;                   // why the rule fails in one of the modes `fail`; empty if there are none
};

// Discovery proves rules in the dialect nir-25. If the target has another dialect, verifies each tuple that a pack for
// the target contains for `entry`, at all sizes, in each mode in which the pack may apply it. An inexact rule holds if
// it is proved over the reals. Machine programs hold in every mode, because no tree contains them. Returns Cancelled if
// the prover was stopped.
absl::StatusOr<ModesForTarget> CheckForTarget(const v1::PackEntry& entry, const emitter::NirTarget& target,
                                              absl::string_view machine, const verifier::Prover& prover);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
