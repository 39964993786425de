// Removes old runs and unused space from a database. Each step is one SQLite transaction, so the database stays intact
// if the process is killed.
#ifndef REWROUGHT_STORE_MAINTENANCE_COMPACT_H_
#define REWROUGHT_STORE_MAINTENANCE_COMPACT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace rewrought::store {

struct CompactOptions {
  // Runs that ended before this time are removed, together with their records of rule changes; nullopt removes none.
  // Runs that can be resumed, the newest run of each kind and configuration, and runs that found a stored rule are
  // kept.
  std::optional<absl::Time> forget_runs_before;
  bool vacuum = true;
};

struct CompactReport {
  uint64_t bytes_before = 0, bytes_after = 0;
  int64_t runs_forgotten = 0;
};

// Fails with the errors of Store::Open, with ResourceExhausted if the disk has no space for a second copy, and with
// Unavailable if other processes are writing.
absl::StatusOr<CompactReport> CompactDatabase(const std::string& path, const CompactOptions& options);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_COMPACT_H_
