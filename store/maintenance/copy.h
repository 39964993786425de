// Backs up and restores a whole database. A backup is created completely or not at all, even if other processes write
// in the meantime. If the process is killed during either operation, the previous files are unchanged, and the next
// call removes the temporary files.
#ifndef REWROUGHT_STORE_MAINTENANCE_COPY_H_
#define REWROUGHT_STORE_MAINTENANCE_COPY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "emitter/files/scratch_folder.h"

namespace rewrought::store {

using CopyProgress = std::function<bool(double share)>;  // may be null; returning false stops the copy with Cancelled

struct CopyReport {
  uint64_t bytes = 0;
  std::string set_aside;  // the path to which Restore moved the damaged database that it replaced, or empty
};

// Copies the current content of the database `from` to `to` with SQLite's backup API, checks the copy's structure, and
// only then renames the copy to `to`, replacing any existing file. `to` is a single file without a log. If it is on a
// network file system, the copy is first created in the folder for temporary files. Fails with DataLoss if `from` is
// damaged, and with FailedPrecondition if `from` belongs to another application, if `to` is the same file as `from`, or
// if `to` is not a Rewrought database. `to` is unchanged after an error.
absl::StatusOr<CopyReport> BackUp(const std::string& from, const std::string& to, const CopyProgress& progress);

// Replaces the database `to` with the backup `from`. Fails with FailedPrecondition, naming the process, if another
// process is writing to `to`. A database that can be opened is replaced in one transaction; a damaged database is first
// renamed to TO.damaged-N, together with its log. Fails with DataLoss, without changing anything, if the backup is
// damaged.
absl::StatusOr<CopyReport> Restore(const std::string& from, const std::string& to, const CopyProgress& progress);

// Creates a folder for unfinished databases in $TMPDIR, which must be on a local disk. Removes the folders that killed
// processes left there.
absl::StatusOr<std::unique_ptr<emitter::ScratchFolder>> NewLocalFolder();

// Provides a path to a database on a local disk. If the database is on a network file system, the path names a copy,
// which the destructor removes; otherwise, it names the database itself.
class LocalCopy {
 public:
  static absl::StatusOr<LocalCopy> Of(const std::string& path);
  const std::string& path() const { return path_; }

 private:
  LocalCopy(std::string path, std::unique_ptr<emitter::ScratchFolder> folder)
      : folder_(std::move(folder)), path_(std::move(path)) {}
  std::unique_ptr<emitter::ScratchFolder> folder_;  // contains the copy; null if there is none
  std::string path_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_COPY_H_
