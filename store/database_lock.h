// Locks on a database file, independent of the name used to open it (links, "..", bind mounts). The kernel releases a
// lock when its process ends, however it ends. The locks work among the processes of this machine, and on a network
// file system only as far as it supports record locks.
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
  // A name can be divided into slots. Locks of one name conflict only if their slot ranges overlap.
  static constexpr uint32_t kSlots = 1 << 16;
  struct Slots {
    uint32_t first = 0, count = kSlots;  // count > 0; first + count <= kSlots
  };

  // Locks `name` on the database at `path`, which must exist and be writable. Never waits. Fails with
  // FailedPrecondition if another holder exists in this or another process; the message describes the holder, e.g.
  // "process 12 (rewrought serve), since 2026-11-22 22:10:05". Fails with NotFound or PermissionDenied if the file
  // cannot be opened, and with Unavailable if its file system does not support locks.
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> Take(const std::string& path, absl::string_view name,
                                                            const Slots& slots);

  // TakeAsWriter takes a lock that writers share. TakeExclusive takes the exclusive lock for replacing the whole
  // database, which invalidates the ids that a writer has cached. Both fail with Take's errors.
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
