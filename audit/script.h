// Runs an embedded Python script.
#ifndef REWROUGHT_AUDIT_SCRIPT_H_
#define REWROUGHT_AUDIT_SCRIPT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/glsl/subprocess.h"
#include "ir/embedded_file.h"

namespace rewrought::audit {

// Runs `script` with python3 and waits for it, at most `seconds`. Its standard error is part of the output. Returns
// NotFound if python3 is missing, and Unavailable if the script cannot be written to a temporary folder.
absl::StatusOr<corpus::ProcessResult> RunScript(const ir::EmbeddedFile& script,
                                                const std::vector<std::string>& arguments, double seconds);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SCRIPT_H_
