// A folder that is there for a while: made new, gone with everything in it at the end. What a killed process left is
// removed when the next folder is made beside it.
#ifndef REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_
#define REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::emitter {

class ScratchFolder {
 public:
  // Below `parent`, with a name that starts with `prefix`, readable by this user alone. Calls RemoveLeftovers first.
  ScratchFolder(const std::string& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool made() const { return made_; }  // false: `parent` cannot be written
  const std::string& path() const { return path_; }

  // Removes the folders of this prefix below `parent` whose processes have ended, and no others: a file in
  // each is locked as long as its process lives. Folders of other users stay. Returns how many went.
  static int RemoveLeftovers(const std::string& parent, absl::string_view prefix);

 private:
  std::string path_;
  bool made_ = false;
  int lock_ = -1;  // a file in it, opened and locked
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_
