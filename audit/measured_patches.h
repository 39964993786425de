// Reads the results of tools/driver_rig/series, which measures each patch of a series in real drivers.
#ifndef REWROUGHT_AUDIT_MEASURED_PATCHES_H_
#define REWROUGHT_AUDIT_MEASURED_PATCHES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::audit {

// The measured effect of one patch on the shaders of each driver.
struct MeasuredPatch {
  std::vector<std::string> gains;             // The drivers whose time decreases.
  std::map<std::string, std::string> losses;  // The drivers to which it does more harm than good, and why.
  std::string text;  // The statistics of each driver, for a commit message; without a final newline.
};

// Returns the results in `folder`/series.json by PatchId. Returns NotFound if there is no such file, and
// InvalidArgument if it is not the output of tools/driver_rig/series.
absl::StatusOr<std::map<std::string, MeasuredPatch>> ReadMeasuredPatches(const std::string& folder);

// Returns the id under which the results of a patch are stored: 16 hex digits of a digest of the lines that its diff
// (in git's format) adds or removes, and of the line before each group of them. Ignores blank lines and comments.
std::string PatchId(const std::string& diff);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_MEASURED_PATCHES_H_
