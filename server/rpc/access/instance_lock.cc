#include "server/rpc/access/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {

absl::StatusOr<std::unique_ptr<InstanceLock>> InstanceLock::Take(const std::string& db) {
  const std::string path = db + ".serve-lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": cannot be made (", std::strerror(errno),
                                                    "); make its folder writable, or serve the database read-only"));
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(file);
    if (error != EWOULDBLOCK)
      return absl::UnavailableError(absl::StrCat(path, ": cannot be locked (", std::strerror(error), ")"));
    return absl::FailedPreconditionError(
        absl::StrCat(db, ": another server serves this database; stop it, or serve the database read-only"));
  }
  return std::unique_ptr<InstanceLock>(new InstanceLock(file));
}

InstanceLock::~InstanceLock() { close(file_); }

}  // namespace rewrought::rpc
