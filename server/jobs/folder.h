// Files that the server shows from a folder: found by looking, never by joining a caller's text to a path.
#ifndef REWROUGHT_SERVER_JOBS_FOLDER_H_
#define REWROUGHT_SERVER_JOBS_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

struct FolderEntry {
  std::string name;  // below the folder, with "/" between its parts
  std::string path;
  uint64_t bytes = 0;
  absl::Time modified;
};

// Regular files directly in `folder`, by name; neither links nor names that start with a dot. NotFound: no such folder.
absl::StatusOr<std::vector<FolderEntry>> FilesIn(const std::string& folder);

// Folders in `folder`, or in a folder there, that hold a regular file called `marker`; by name, links are not followed.
// The time is the marker's. NotFound: no such folder.
absl::StatusOr<std::vector<FolderEntry>> FoldersWith(const std::string& folder, const std::string& marker);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_FOLDER_H_
