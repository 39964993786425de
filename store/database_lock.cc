#include "store/database_lock.h"

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
#include "store/lock_holder.h"

namespace rewrought::store {
namespace {

// This offset is far above the bytes that SQLite locks (512 bytes from 2^30), and above every byte of a database.
constexpr int64_t kFirstByte = int64_t{1} << 62;
constexpr int kNameBits = 45;  // kFirstByte + 2^kNameBits * kSlots is still below 2^63

int64_t FirstByteOf(absl::string_view name) {
  const ir::Digest digest = ir::Digest::Of(name);
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest.bytes[i];
  return kFirstByte + static_cast<int64_t>(number >> (64 - kNameBits)) * DatabaseLock::kSlots;
}

// Writers share this lock. A process that replaces the database holds it exclusively.
constexpr int64_t kWritersByte = kFirstByte - 1;

using FileId = std::pair<dev_t, ino_t>;

// Closing any descriptor of a file would release all of SQLite's locks on it in this process (POSIX, fcntl(2)).
// Therefore, descriptors are never closed: an unlocked descriptor is kept here and reused for the next lock on the same
// file. Read-only descriptors are kept separately, because they suffice for a shared lock and, unlike read-write
// descriptors, do not prevent a file system from being remounted as read-only.
std::mutex idle_mutex;
using IdleKey = std::pair<FileId, int>;  // the file and the access mode
std::map<IdleKey, std::vector<int>>& Idle() {
  static auto& idle = *new std::map<IdleKey, std::vector<int>>;
  return idle;
}

absl::Status Failed(const std::string& path, absl::string_view what) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": cannot be ", what, ": ", std::strerror(error));
  if (error == ENOENT || error == ENOTDIR) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM || error == EROFS) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(absl::StrCat(text, "; keep the database on a local disk"));
}

}  // namespace

struct DatabaseLock::File {
  FileId id;
  int access = O_RDWR;
  int descriptor = -1;
  struct flock range = {};  // l_len 0 means unlocked

  File(const FileId& the_id, int the_access, int the_descriptor)
      : id(the_id), access(the_access), descriptor(the_descriptor) {}
  ~File() {
    if (range.l_len > 0) {
      range.l_type = F_UNLCK;
      fcntl(descriptor, F_OFD_SETLK, &range);
    }
    const std::lock_guard<std::mutex> lock(idle_mutex);
    Idle()[{id, access}].push_back(descriptor);
  }

  static absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, int access) {
    struct stat about = {};
    if (stat(path.c_str(), &about) != 0) return Failed(path, "found");
    const std::lock_guard<std::mutex> lock(idle_mutex);
    std::vector<int>& idle = Idle()[{{about.st_dev, about.st_ino}, access}];
    if (!idle.empty()) {
      const int descriptor = idle.back();
      idle.pop_back();
      return std::make_unique<File>(FileId(about.st_dev, about.st_ino), access, descriptor);
    }
    const int descriptor = open(path.c_str(), access | O_CLOEXEC);
    if (descriptor < 0) return Failed(path, "opened for locking");
    fstat(descriptor, &about);  // the name may refer to another file now
    return std::make_unique<File>(FileId(about.st_dev, about.st_ino), access, descriptor);
  }
};

DatabaseLock::DatabaseLock(std::unique_ptr<File> file) : file_(std::move(file)) {}
DatabaseLock::~DatabaseLock() = default;

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::TakeRange(const std::string& path, short type,
                                                                      int64_t first, int64_t count) {
  absl::StatusOr<std::unique_ptr<File>> file = File::Open(path, type == F_RDLCK ? O_RDONLY : O_RDWR);
  if (!file.ok()) return file.status();
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;
  const struct flock wanted = range;
  // The lock belongs to the open file, not to the process. Therefore, it also conflicts with locks of the same process,
  // and closing other descriptors does not release it.
  if (fcntl((*file)->descriptor, F_OFD_SETLK, &range) == 0) {
    (*file)->range = wanted;
    return std::unique_ptr<DatabaseLock>(new DatabaseLock(*std::move(file)));
  }
  if (errno != EAGAIN && errno != EACCES) return Failed(path, "locked");
  const auto& [device, inode] = (*file)->id;
  return absl::FailedPreconditionError(LockHolder({device, inode, first, first + count - 1}));
}

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::Take(const std::string& path, absl::string_view name,
                                                                 const Slots& slots) {
  return TakeRange(path, F_WRLCK, FirstByteOf(name) + slots.first, slots.count);
}

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::TakeAsWriter(const std::string& path) {
  return TakeRange(path, F_RDLCK, kWritersByte, 1);
}

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::TakeExclusive(const std::string& path) {
  return TakeRange(path, F_WRLCK, kWritersByte, 1);
}

}  // namespace rewrought::store
