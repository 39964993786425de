// Parses and checks a night's configuration.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
#define REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::pipeline {

// Returns InvalidArgument "FILE:LINE:COLUMN: ...", or naming the field with a bad value.
absl::StatusOr<v1::NightlyConfig> ParseNightlyConfig(absl::string_view text, absl::string_view file);

// Returns the denormal modes for proofs, the required one first: the configuration's, or discovery's.
std::vector<ir::DenormMode> ModesOf(const v1::NightlyConfig& config);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
