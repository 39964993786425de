#include "server/store/database_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "server/store/lock_holder.h"

namespace rewrought::store {
namespace {

// Far above what SQLite locks (512 bytes from 2^30 on), and above every byte of a database.
constexpr int64_t kFirstByte = int64_t{1} << 62;
constexpr int kNameBits = 45;  // times kSlots, still below 2^63

struct flock RangeOf(absl::string_view name, const DatabaseLock::Slots& slots) {
  const ir::Digest digest = ir::Digest::Of(name);
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest.bytes[i];
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = kFirstByte + static_cast<int64_t>(number >> (64 - kNameBits)) * DatabaseLock::kSlots + slots.first;
  range.l_len = slots.count;
  return range;
}

using FileId = std::pair<dev_t, ino_t>;

// Closing any descriptor of a file would end all of SQLite's locks on it in this process (POSIX, fcntl(2)). So none is
// ever closed: what is unlocked waits here for the next lock on the same file.
std::mutex idle_mutex;
std::map<FileId, std::vector<int>>& Idle() {
  static auto& idle = *new std::map<FileId, std::vector<int>>;
  return idle;
}

absl::Status Failed(const std::string& path, absl::string_view what) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": cannot be ", what, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(absl::StrCat(text, "; keep the database on a disk of this machine"));
}

}  // namespace

struct DatabaseLock::File {
  FileId id;
  int descriptor = -1;
  struct flock range = {};  // unlocked: l_len 0

  File(const FileId& the_id, int the_descriptor) : id(the_id), descriptor(the_descriptor) {}
  ~File() {
    if (range.l_len > 0) {
      range.l_type = F_UNLCK;
      fcntl(descriptor, F_OFD_SETLK, &range);
    }
    const std::lock_guard<std::mutex> lock(idle_mutex);
    Idle()[id].push_back(descriptor);
  }

  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0) return Failed(path, "found");
    const std::lock_guard<std::mutex> lock(idle_mutex);
    std::vector<int>& idle = Idle()[{about.st_dev, about.st_ino}];
    if (!idle.empty()) {
      const int descriptor = idle.back();
      idle.pop_back();
      return std::make_unique<File>(FileId(about.st_dev, about.st_ino), descriptor);
    }
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return Failed(path, "opened to lock it");
    fstat(descriptor, &about);  // the name may stand for another file by now
    return std::make_unique<File>(FileId(about.st_dev, about.st_ino), descriptor);
  }
};

DatabaseLock::DatabaseLock(std::unique_ptr<File> file) : file_(std::move(file)) {}
DatabaseLock::~DatabaseLock() = default;

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::Take(const std::string& path, absl::string_view name,
                                                                 const Slots& slots) {
  absl::StatusOr<std::unique_ptr<File>> file = File::Open(path);
  if (!file.ok()) return file.status();
  const struct flock wanted = RangeOf(name, slots);
  struct flock range = wanted;
  // A lock of an open file, not of the process: it conflicts within a process too, and no close elsewhere ends it.
  if (fcntl((*file)->descriptor, F_OFD_SETLK, &range) == 0) {
    (*file)->range = wanted;
    return std::unique_ptr<DatabaseLock>(new DatabaseLock(*std::move(file)));
  }
  if (errno != EAGAIN && errno != EACCES) return Failed(path, "locked");
  const auto& [device, inode] = (*file)->id;
  return absl::FailedPreconditionError(LockHolder({device, inode, wanted.l_start, wanted.l_start + wanted.l_len - 1}));
}

}  // namespace rewrought::store
