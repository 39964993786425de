// Verifies the NIR rules of a pack in the dialect of the pack's target.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
#define REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_

#include <cstddef>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "emitter/nir/nir_target.h"
#include "proto/rewrought/v1/pack.pb.h"
#include "verifier/solvers.h"

namespace rewrought::pipeline {

struct ModesForTarget {
  std::set<v1::DenormMode> hold, fail;  // the modes of the entry's proofs
  std::string reason;                   // why the rule fails in one of the modes `fail`; empty if there are none
};

struct TargetCheckOptions {
  size_t threads = 0;  // 0 means one per core
  std::stop_token stop = {};
  std::function<void(size_t)> progress;  // called with the number of entries done; may be null
};

// Verifies, in the target's dialect, each tuple that a pack for the target contains for `entries`, at all sizes and in
// each mode in which the pack may apply it. Returns the modes of each entry, in order. A strict rule holds in a mode if
// it is proved and confirmed; an inexact rule holds if it is proved over the reals. If the dialect is nir-25, in which
// discovery has proved the rules, verifies nothing and returns all modes for each entry. Also returns all modes for
// machine programs, because no tree contains them. Returns Cancelled if stopped.
absl::StatusOr<std::vector<ModesForTarget>> CheckForTarget(absl::Span<const v1::PackEntry* const> entries,
                                                           const emitter::NirTarget& target, absl::string_view machine,
                                                           const verifier::Solvers& solvers,
                                                           const TargetCheckOptions& options);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_TARGET_CHECK_H_
