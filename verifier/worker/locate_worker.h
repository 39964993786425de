// Locates the worker binary, which may be specified explicitly, by the environment, or by its path relative to the
// running program.
#ifndef REWROUGHT_VERIFIER_WORKER_LOCATE_WORKER_H_
#define REWROUGHT_VERIFIER_WORKER_LOCATE_WORKER_H_

#include <string>

#include "absl/status/statusor.h"

namespace rewrought::verifier {

// Returns the path of the first executable file among: `given`; the variable REWROUGHT_WORKER; the places of
// rewrought_worker according to proto/own_files.h. If `given` or the variable is not empty, tries nothing else. Fails
// with NotFound, listing the paths that were tried.
absl::StatusOr<std::string> LocateWorker(const std::string& given);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_LOCATE_WORKER_H_
