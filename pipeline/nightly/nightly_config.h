// Parses and checks the configuration of a nightly run.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
#define REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::pipeline {

// Returns InvalidArgument if the text does not parse ("FILE:LINE:COLUMN: ...") or, naming the field, if a value is not
// allowed.
absl::StatusOr<v1::NightlyConfig> ParseNightlyConfig(absl::string_view text, absl::string_view file);

// Returns the denormal modes for proofs: the modes in the configuration or, if there are none, the default modes of
// discovery. A rule must be proved in the first mode.
std::vector<ir::DenormMode> ModesOf(const v1::NightlyConfig& config);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
