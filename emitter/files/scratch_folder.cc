#include "emitter/files/scratch_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

namespace fs = std::filesystem;

constexpr char kLockFile[] = ".lock";

struct Locked {
  int folder = -1, lock = -1;  // Descriptors.
  int error = 0;               // The error from locking; EWOULDBLOCK means that another process holds the lock.
};

// Opens the folder `path` without following links and locks a file in it, because network file systems do not lock
// folders.
Locked Lock(const std::string& path) {
  Locked locked;
  locked.folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat about = {};
  if (locked.folder < 0 || fstat(locked.folder, &about) != 0 || about.st_uid != geteuid()) {
    locked.error = EACCES;
    return locked;
  }
  locked.lock = openat(locked.folder, kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (locked.lock < 0 || flock(locked.lock, LOCK_EX | LOCK_NB) != 0) locked.error = errno;
  return locked;
}

void Close(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

// Returns whether `folder` is still at `path`. Before its creator locks it, a new folder looks abandoned, so another
// process may remove it.
bool IsAt(int folder, const std::string& path) {
  struct stat opened = {}, named = {};
  return fstat(folder, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& parent, const std::string& prefix) {
  RemoveLeftovers(parent, prefix);
  for (int attempt = 0; attempt < 100 && !made_; ++attempt) {
    path_ = absl::StrCat(parent, "/", prefix, "XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) return;
    const Locked locked = Lock(path_);
    // If the file system does not support locks, no folder is treated as abandoned.
    made_ = locked.lock >= 0 && locked.error != EWOULDBLOCK && IsAt(locked.folder, path_);
    lock_ = locked.lock;
    if (!made_) Close(lock_);
    Close(locked.folder);
  }
}

ScratchFolder::~ScratchFolder() {
  if (!made_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  Close(lock_);
}

int ScratchFolder::RemoveLeftovers(const std::string& parent, absl::string_view prefix) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator place(parent, error), end; !error && place != end; place.increment(error)) {
    if (absl::StartsWith(place->path().filename().string(), prefix)) found.push_back(place->path().string());
  }
  int removed = 0;
  for (const std::string& path : found) {
    const Locked locked = Lock(path);
    if (locked.lock >= 0 && locked.error == 0 && IsAt(locked.folder, path)) {
      removed += fs::remove_all(path, error) > 0 && !error;
    }
    Close(locked.lock);
    Close(locked.folder);
  }
  return removed;
}

}  // namespace rewrought::emitter
