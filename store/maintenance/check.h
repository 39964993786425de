// What is wrong with a database file, if anything: SQLite's own checks of pages and references, then what this program
// takes for granted of its rows. Each fault names where it is and what to do. Nothing is written.
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
  std::string remedy;  // imperative
};

struct CheckOptions {
  bool quick = false;  // pages alone, without indexes against tables and without rows
  size_t most = 100;   // faults of a kind
  std::function<bool(const std::string& stage)> progress;  // may be null; false: stop
};

struct CheckReport {
  int version = 0;  // of the schema
  uint64_t bytes = 0, pages = 0, free_pages = 0;
  std::vector<Fault> faults;
};

// Errors: those of opening (NotFound, PermissionDenied, InvalidArgument for what is no database at all),
// FailedPrecondition for another application's database or one of a newer schema, Cancelled. Damage is no error.
absl::StatusOr<CheckReport> CheckDatabase(const std::string& path, const CheckOptions& options);

// The same on an open connection, in one read transaction.
absl::StatusOr<CheckReport> CheckDatabase(sqlite::Database& database, const CheckOptions& options);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_MAINTENANCE_CHECK_H_
