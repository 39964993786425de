// A night's configuration file, read and checked.
#ifndef REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
#define REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/float_contract.h"
#include "proto/rewrought/v1/run.pb.h"

namespace rewrought::pipeline {

// Reads a NightlyConfig. InvalidArgument "FILE:LINE:COLUMN: what is wrong", or names the field whose value is.
absl::StatusOr<v1::NightlyConfig> ParseNightlyConfig(absl::string_view text, absl::string_view file);

// The denormal modes that rules are proved in, the necessary one first: the configuration's, or discovery's own.
std::vector<ir::DenormMode> ModesOf(const v1::NightlyConfig& config);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_NIGHTLY_NIGHTLY_CONFIG_H_
