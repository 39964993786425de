// Copies of a whole database: a backup that is there whole or not at all, while others go on writing, and its way back.
// Whenever either is killed, what was there before is there still, and the next one removes what it left.
#ifndef REWROUGHT_STORE_MAINTENANCE_COPY_H_
#define REWROUGHT_STORE_MAINTENANCE_COPY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rewrought::store {

using CopyProgress = std::function<bool(double share)>;  // may be null; false: stop, which is Cancelled

struct CopyReport {
  uint64_t bytes = 0;
  std::string set_aside;  // of a restore: where the damaged database that it replaced lies now; empty: there was none
};

// Makes `to` a copy of the database `from` as it is now, by SQLite's own backup, checks its structure, and only then
// gives it its name, in place of a file that had it. `to` is one file without a log beside it, and may lie on a network
// file system: it is then made in the folder for temporary files first. DataLoss: `from` is damaged, and `to` is as it
// was. FailedPrecondition: `from` is another application's; `to` is `from`, or no database of ours.
absl::StatusOr<CopyReport> BackUp(const std::string& from, const std::string& to, const CopyProgress& progress);

// Makes the database `to` what the backup `from` is. Nobody may be writing `to` (FailedPrecondition names who is). A
// database that is there and can be opened is replaced in one transaction; a damaged one is set aside, as
// TO.damaged-N with its log. DataLoss: the backup is damaged; nothing was changed.
absl::StatusOr<CopyReport> Restore(const std::string& from, const std::string& to, const CopyProgress& progress);

// A new folder below $TMPDIR, which must be on a disk of this machine, for databases that are not finished. Whoever
// asks removes it.
absl::StatusOr<std::string> NewLocalFolder();

// A copy of `path` on a disk of this machine if it lies on a network file system, for as long as this lives.
class LocalCopy {
 public:
  static absl::StatusOr<LocalCopy> Of(const std::string& path);
  LocalCopy(LocalCopy&& other) noexcept;
  LocalCopy& operator=(LocalCopy&&) = delete;
  ~LocalCopy();
  const std::string& path() const { return path_; }

 private:
  LocalCopy(std::string path, std::string folder) : path_(std::move(path)), folder_(std::move(folder)) {}
  std::string path_, folder_;  // folder_: to be removed; empty: none
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_COPY_H_
