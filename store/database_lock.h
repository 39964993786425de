// Locks a database file, independently of the name used to open the file (links, "..", bind mounts). The kernel
// releases a lock when the process that holds it ends for any reason. The locks work between processes on the same
// machine. On a network file system, they work only if it supports record locks.
#ifndef REWROUGHT_STORE_DATABASE_LOCK_H_
#define REWROUGHT_STORE_DATABASE_LOCK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::store {

class DatabaseLock {
 public:
  // A name can be divided into slots. Locks on the same name conflict only if their slot ranges overlap.
  static constexpr uint32_t kSlots = 1 << 16;
  struct Slots {
    uint32_t first = 0, count = kSlots;  // count > 0; first + count <= kSlots
  };

  // Locks `name` on the database at `path`, which must exist and be writable. Never waits. Fails with
  // FailedPrecondition if this or another process already holds a conflicting lock; the message describes the holder,
  // e.g. "process 12 (rewrought serve), since 2026-11-22 22:10:05". Fails with NotFound or PermissionDenied if the file
  // cannot be opened, and with Unavailable if its file system does not support locks.
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> Take(const std::string& path, absl::string_view name,
                                                            const Slots& slots);

  // TakeAsWriter takes a lock that all writers share. TakeExclusive takes the exclusive lock needed to replace the
  // whole database. Replacing the database invalidates the ids that writers have cached. Both functions fail with
  // Take's errors.
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> TakeAsWriter(const std::string& path);
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> TakeExclusive(const std::string& path);
  ~DatabaseLock();
  DatabaseLock(const DatabaseLock&) = delete;
  DatabaseLock& operator=(const DatabaseLock&) = delete;

 private:
  struct File;
  explicit DatabaseLock(std::unique_ptr<File> file);
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> TakeRange(const std::string& path, short type, int64_t first,
                                                                 int64_t count);

  const std::unique_ptr<File> file_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_DATABASE_LOCK_H_
