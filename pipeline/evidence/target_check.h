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

// Verifies each tuple that a pack for the target contains for `entry` in the target's dialect, at all sizes, in each
// mode in which the pack may apply it. Returns all modes if the dialect is nir-25, in which discovery has proved the
// rule, and for machine programs, which no tree contains. A strict rule holds in a mode if it is proved and confirmed,
// for which `prover` must have ProverOptions::confirm. An inexact rule holds if it is proved over the reals. Returns
// Cancelled if the prover was stopped.
absl::StatusOr<ModesForTarget> CheckForTarget(const v1::PackEntry& entry, const emitter::NirTarget& target,
                                              absl::string_view machine, const verifier::Prover& prover);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
