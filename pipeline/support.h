// Decides whether a rule applies often enough to be proposed to a driver.
#ifndef REWROUGHT_PIPELINE_SUPPORT_H_
#define REWROUGHT_PIPELINE_SUPPORT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace rewrought::pipeline {

// The least numbers of discovery sources and shaders in which a rule must apply. Mesa's reviewers reject rules for
// single shaders.
struct SupportLimits {
  size_t sources = 3;
  size_t shaders = 10;
};

// Returns "1 shader" or "2 shaders" for the noun "shader".
std::string CountText(size_t count, const std::string& noun);

// Returns `limits`, lowered for a small corpus: at most the number of the database's discovery sources, and at most a
// twentieth of the number of its discovery shaders. Propagates store errors.
absl::StatusOr<SupportLimits> LimitsForCorpus(store::Store* store, const SupportLimits& limits);

// Returns OK if a rule or family that applies in these numbers of discovery sources and shaders reaches the limits, or
// else FailedPrecondition with a reason such as "applies in 4 shaders of 1 source".
absl::Status AppliesOften(size_t sources, size_t shaders, const SupportLimits& limits);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SUPPORT_H_
