// Defines a temporary folder that is removed with its contents when the object is destroyed. Creating another folder in
// the same parent removes the folders of killed processes.
#ifndef REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_
#define REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::emitter {

class ScratchFolder {
 public:
  // Creates a folder below `parent` with the name prefix `prefix`, readable only by this user. Calls RemoveLeftovers
  // first.
  ScratchFolder(const std::string& parent, const std::string& prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  bool made() const { return made_; }  // False if `parent` is not writable.
  const std::string& path() const { return path_; }

  // Removes the folders below `parent` that have this prefix and whose process has ended. A live process holds a lock
  // on a file in its folder. Does not remove folders of other users. Returns the number of removed folders.
  static int RemoveLeftovers(const std::string& parent, absl::string_view prefix);

 private:
  std::string path_;
  bool made_ = false;
  int lock_ = -1;  // An open, locked file in the folder.
};

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_FILES_SCRATCH_FOLDER_H_
