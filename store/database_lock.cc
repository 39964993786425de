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

// Far above what SQLite locks (512 bytes from 2^30 on), and above every byte of a database.
constexpr int64_t kFirstByte = int64_t{1} << 62;
constexpr int kNameBits = 45;  // times kSlots, still below 2^63

int64_t FirstByteOf(absl::string_view name) {
  const ir::Digest digest = ir::Digest::Of(name);
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest.bytes[i];
  return kFirstByte + static_cast<int64_t>(number >> (64 - kNameBits)) * DatabaseLock::kSlots;
}

// Shared by those who write, the whole of it by who replaces the database.
constexpr int64_t kWritersByte = kFirstByte - 1;

using FileId = std::pair<dev_t, ino_t>;

// Closing any descriptor of a file would end all of SQLite's locks on it in this process (POSIX, fcntl(2)). So none is
// ever closed: what is unlocked waits here for the next lock on the same file.
// Those to read with are apart: a shared lock needs no more, and leaves a file system free to become read-only.
std::mutex idle_mutex;
using IdleKey = std::pair<FileId, int>;  // how it is open
std::map<IdleKey, std::vector<int>>& Idle() {
  static auto& idle = *new std::map<IdleKey, std::vector<int>>;
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
  int access = O_RDWR;
  int descriptor = -1;
  struct flock range = {};  // unlocked: l_len 0

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
    if (descriptor < 0) return Failed(path, "opened to lock it");
    fstat(descriptor, &about);  // the name may stand for another file by now
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
  // A lock of an open file, not of the process: it conflicts within a process too, and no close elsewhere ends it.
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

absl::StatusOr<std::unique_ptr<DatabaseLock>> DatabaseLock::TakeAlone(const std::string& path) {
  return TakeRange(path, F_WRLCK, kWritersByte, 1);
}

}  // namespace rewrought::store
