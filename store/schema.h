// Identifies Rewrought's databases and applies the numbered migrations (migrations/NNNN_name.sql). The schema version
// is the number of applied migrations.
#ifndef REWROUGHT_STORE_SCHEMA_H_
#define REWROUGHT_STORE_SCHEMA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

inline constexpr int32_t kApplicationId = 0x52575254;  // "RWRT"

// Returns the schema version of a Rewrought database, or 0 for an empty file. Writes nothing. Fails with
// FailedPrecondition if the file belongs to another application or was written by a newer Rewrought.
absl::StatusOr<int> SchemaVersion(sqlite::Database& database);

int NewestVersion();

// Brings the database to `version` in one transaction. Does nothing if the database has that version or a newer one.
// Several processes may call this function concurrently. Fails with the errors of SchemaVersion and of the writes.
absl::Status Migrate(sqlite::Database& database, int version = NewestVersion());

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SCHEMA_H_
