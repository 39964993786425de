// The database's identity and its numbered migrations (migrations/NNNN_name.sql; the version is the number of those
// run).
#ifndef REWROUGHT_STORE_SCHEMA_H_
#define REWROUGHT_STORE_SCHEMA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

inline constexpr int32_t kApplicationId = 0x52575254;  // "RWRT"

// The version of a database that is ours, 0 for an empty file. Nothing is written. FailedPrecondition: it belongs to
// another application, or was made by a newer rewrought.
absl::StatusOr<int> SchemaVersion(sqlite::Database& database);

// The version that Migrate brings a database to by default.
int NewestVersion();

// Brings the database to `version`, all in one transaction. It may be at any version up to that.
// Two processes may try at once. Errors: SchemaVersion's, and what writing gives.
absl::Status Migrate(sqlite::Database& database, int version = NewestVersion());

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SCHEMA_H_
