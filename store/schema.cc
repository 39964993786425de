#include "store/schema.h"

#include "absl/strings/str_cat.h"
#include "store/migration_files.h"
#include "store/sites/site_sql.h"

namespace rewrought::store {

absl::StatusOr<int> SchemaVersion(sqlite::Database& database) {
  const absl::StatusOr<int64_t> application = database.QueryInt("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const absl::StatusOr<int64_t> version = database.QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const absl::StatusOr<int64_t> objects = database.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!objects.ok()) return objects.status();
  if (*application == 0 && *version == 0 && *objects == 0) return 0;
  if (*application != kApplicationId) {
    return absl::FailedPreconditionError(
        absl::StrCat(database.path(), ": a database of another application; choose a Rewrought database with --db"));
  }
  if (*version > NewestVersion()) {
    return absl::FailedPreconditionError(
        absl::StrCat(database.path(), ": written by a newer rewrought (schema version ", *version,
                     ", this one supports ", NewestVersion(), "); use that version, or another file with --db"));
  }
  return static_cast<int>(*version);
}

int NewestVersion() { return static_cast<int>(MigrationFiles().size()); }

absl::Status Migrate(sqlite::Database& database, int version) {
  absl::StatusOr<int> current = SchemaVersion(database);
  if (!current.ok() || *current >= version) return current.status();
  if (absl::Status added = AddSiteFunctions(database); !added.ok()) return added;  // needed by 0011_site_blocks.sql
  if (absl::Status status = database.Run("BEGIN IMMEDIATE"); !status.ok()) return status;
  // Another process may have migrated the database while this process waited for the lock.
  current = SchemaVersion(database);
  absl::Status status = current.status();
  for (int i = status.ok() ? *current : version; i < version && status.ok(); ++i)
    status = database.Script(std::string(MigrationFiles()[i].text));
  if (status.ok() && *current < version) {
    status = database.Script(
        absl::StrCat("PRAGMA application_id = ", kApplicationId, "; PRAGMA user_version = ", version, ";"));
  }
  if (status.ok()) status = database.Run("COMMIT");
  if (!status.ok() && database.in_transaction()) database.Run("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace rewrought::store
