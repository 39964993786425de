// Locks on a database file, whatever name it goes by: links, "..", bind mounts. The system frees a lock when its
// process ends, however it ends. Of this machine's processes; on a network file system as far as that locks records.
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
  // What a name stands for may be shared out: locks of one name conflict only where their slots meet.
  static constexpr uint32_t kSlots = 1 << 16;
  struct Slots {
    uint32_t first = 0, count = kSlots;  // count > 0; first + count <= kSlots
  };

  // Locks `name` on the database at `path`, which must exist and be writable; waits for nobody. FailedPrecondition:
  // another holder, in this process or another; the message says which, as "process 12 (rewrought serve), since
  // 2026-11-22 22:10:05". NotFound, PermissionDenied: the file; Unavailable: its file system cannot lock.
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> Take(const std::string& path, absl::string_view name,
                                                            const Slots& slots);

  // Who writes the database, each process beside the others, and who replaces it as a whole, alone: ids that a writer
  // remembers mean something else after that. Errors as Take's.
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> TakeAsWriter(const std::string& path);
  static absl::StatusOr<std::unique_ptr<DatabaseLock>> TakeAlone(const std::string& path);
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
