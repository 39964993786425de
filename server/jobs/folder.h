// Lists files that the server serves from a folder. A caller's text is compared with the listed names and never
// becomes part of a path.
#ifndef REWROUGHT_SERVER_JOBS_FOLDER_H_
#define REWROUGHT_SERVER_JOBS_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

struct FolderEntry {
  std::string name;  // path relative to the folder, with "/" as the separator
  std::string path;
  uint64_t bytes = 0;
  absl::Time modified;
};

// Returns the regular files directly in `folder`, sorted by name. Omits links and names that start with a dot. Fails
// with NotFound if the folder does not exist.
absl::StatusOr<std::vector<FolderEntry>> FilesIn(const std::string& folder);

// Returns the folders in `folder`, at most two levels deep, that contain a regular file called `marker`, sorted by
// name. Links are not followed. An entry has the time of its marker file. Fails with NotFound if the folder does not
// exist.
absl::StatusOr<std::vector<FolderEntry>> FoldersWith(const std::string& folder, const std::string& marker);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_FOLDER_H_
