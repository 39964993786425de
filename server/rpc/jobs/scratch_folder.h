// A folder that is there for a while: made new, readable by this user alone, gone with everything in it at the end.
#ifndef REWROUGHT_SERVER_RPC_JOBS_SCRATCH_FOLDER_H_
#define REWROUGHT_SERVER_RPC_JOBS_SCRATCH_FOLDER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::rpc {

class ScratchFolder {
 public:
  // Below `parent`, with a name that starts with `prefix`.
  ScratchFolder(absl::string_view parent, absl::string_view prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool made() const { return made_; }  // false: `parent` cannot be written
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_JOBS_SCRATCH_FOLDER_H_
