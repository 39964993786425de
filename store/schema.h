// Identifies Rewrought's databases and applies the numbered migrations (migrations/NNNN_name.sql). The schema version
// is the number of applied migrations. A database may come from an untrusted source, and a view or a trigger in place
// of a table could run without end, so the database's schema must be exactly the one that the migrations create.
#ifndef REWROUGHT_STORE_SCHEMA_H_
#define REWROUGHT_STORE_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

inline constexpr int32_t kApplicationId = 0x52575254;  // "RWRT"

// Returns the schema version of a Rewrought database, or 0 for an empty file. Writes nothing. Fails with
// FailedPrecondition if the file belongs to another application or was written by a newer Rewrought.
absl::StatusOr<int> SchemaVersion(sqlite::Database& database);

int NewestVersion();

// Migrates the database to `version` in one transaction. Does nothing if the database has that version or a newer one.
// Several processes may call this function concurrently. Fails with the errors of SchemaVersion and of the writes.
absl::Status Migrate(sqlite::Database& database, int version = NewestVersion());

// Checks that the database attached as `name` has exactly the tables, indexes, and views of schema version `version`,
// which must be between 0 and NewestVersion(). Ignores comments, white space, and the statistics of ANALYZE. Reads only
// sqlite_schema. Fails with FailedPrecondition, naming the object, if an object is foreign or was changed, and with
// DataLoss if one is missing.
absl::Status CheckExpectedSchema(sqlite::Database& database, int version, absl::string_view name = "main");

// Returns the tokens of a CREATE statement without comments, separated by spaces. Keywords and names become lower case
// and lose their quotes.
std::string SchemaTokens(absl::string_view sql);

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_SCHEMA_H_
