// Checks a database file: first with SQLite's own checks of pages and references, then against the invariants of this
// program's rows. Each fault states its location and a remedy. Nothing is written.
#ifndef REWROUGHT_STORE_MAINTENANCE_CHECK_H_
#define REWROUGHT_STORE_MAINTENANCE_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

struct Fault {
  std::string kind;    // "page", "structure", "reference", "row", "contradiction"
  std::string what;    // "page 126, of index sites_by_shader: cannot be read"
  std::string remedy;  // in the imperative mood
};

struct CheckOptions {
  bool quick = false;                                      // check only pages, not indexes or rows
  size_t most = 100;                                       // maximum number of faults of each kind
  std::function<bool(const std::string& stage)> progress;  // may be null; returning false stops the check
};

struct CheckReport {
  int version = 0;  // schema version
  uint64_t bytes = 0, pages = 0, free_pages = 0;
  std::vector<Fault> faults;
};

// Fails with NotFound or PermissionDenied if the file cannot be opened, with InvalidArgument if it is not a database,
// with FailedPrecondition if it belongs to another application or has a newer schema, and with Cancelled if `progress`
// stops the check. Damage is not an error; it is reported as faults.
absl::StatusOr<CheckReport> CheckDatabase(const std::string& path, const CheckOptions& options);

// Like the function above, but uses an open connection and one read transaction.
absl::StatusOr<CheckReport> CheckDatabase(sqlite::Database& database, const CheckOptions& options);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_CHECK_H_
