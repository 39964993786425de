// Makes a database as small as its content, and forgets runs that nobody asks for any more.
// One transaction of SQLite's: killed, the file is as it was.
#ifndef REWROUGHT_STORE_MAINTENANCE_COMPACT_H_
#define REWROUGHT_STORE_MAINTENANCE_COMPACT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::store {

struct CompactOptions {
  // Runs that ended before are forgotten, with the changes of rules that they note; none: all are kept. Kept are those
  // that may go on, the newest of a kind and configuration, and those that a rule says it was found by.
  std::optional<absl::Time> forget_runs_before;
  bool vacuum = true;
};

struct CompactReport {
  uint64_t bytes_before = 0, bytes_after = 0;
  int64_t runs_forgotten = 0;
};

// Errors: of opening; ResourceExhausted where the disk has no room for a second copy; Unavailable: others write it.
absl::StatusOr<CompactReport> CompactDatabase(const std::string& path, const CompactOptions& options);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_COMPACT_H_
