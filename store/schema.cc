#include "store/schema.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/migration_files.h"
#include "store/sites/site_sql.h"
#include "store/sqlite/in_memory.h"

namespace rewrought::store {
namespace {

// Maps the type and name of each object to the tokens of its statement.
using Schema = std::map<std::pair<std::string, std::string>, std::string>;

absl::StatusOr<Schema> ReadSchema(sqlite::Database& database, absl::string_view name) {
  Schema schema;
  // The indexes of constraints have no statement; they follow from their tables.
  const std::string query = absl::StrCat("SELECT type, name, tbl_name, sql FROM ", name,
                                         ".sqlite_schema WHERE type != 'index' OR sql IS NOT NULL");
  const absl::Status read = database.Query(query, {}, [&](const sqlite::Row& row) {
    schema[{row.String(0), row.String(1)}] = absl::StrCat(row.Text(2), ": ", SchemaTokens(row.Text(3)));
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  return schema;
}

absl::StatusOr<Schema> MakeSchema(int version) {
  const absl::StatusOr<std::unique_ptr<sqlite::Database>> database =
      sqlite::Database::Open(std::string(sqlite::kInMemory), sqlite::OpenMode::kCreate, absl::ZeroDuration());
  if (!database.ok()) return database.status();
  absl::Status status = AddSiteFunctions(**database);
  for (int i = 0; i < version && status.ok(); ++i) status = (*database)->Script(std::string(MigrationFiles()[i].text));
  if (!status.ok()) return status;
  return ReadSchema(**database, "main");
}

// Returns the schema of `version`. Each schema is computed once and cached.
absl::StatusOr<Schema> ExpectedSchema(int version) {
  static std::mutex mutex;
  static auto* const known = new std::map<int, Schema>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known->find(version);
  if (found != known->end()) return found->second;
  absl::StatusOr<Schema> schema = MakeSchema(version);
  if (schema.ok()) known->emplace(version, *schema);
  return schema;
}

// Returns whether the object is a table that ANALYZE creates.
bool IsStatistics(const std::pair<std::string, std::string>& object, const std::string& tokens) {
  return object.first == "table" &&
         ((object.second == "sqlite_stat1" &&
           tokens == "sqlite_stat1: create table sqlite_stat1 ( tbl , idx , stat )") ||
          (object.second == "sqlite_stat4" &&
           tokens == "sqlite_stat4: create table sqlite_stat4 ( tbl , idx , neq , nlt , ndlt , sample )"));
}

std::string ObjectText(const std::pair<std::string, std::string>& object) {
  return absl::StrCat(absl::CHexEscape(object.first), " \"", absl::CHexEscape(object.second), "\"");
}

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string SchemaTokens(absl::string_view sql) {
  std::string tokens;
  const auto add = [&](absl::string_view token) { absl::StrAppend(&tokens, tokens.empty() ? "" : " ", token); };
  while (!sql.empty()) {
    const char c = sql.front();
    size_t length = 1;
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      // Skip the character.
    } else if (absl::StartsWith(sql, "--")) {
      length = std::min(sql.find('\n'), sql.size());
    } else if (absl::StartsWith(sql, "/*")) {
      const size_t end = sql.find("*/", 2);
      length = end == absl::string_view::npos ? sql.size() : end + 2;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      // A doubled quote ends one token and starts another, but different statements still produce different tokens.
      const size_t end = sql.find(c == '[' ? ']' : c, 1);
      length = end == absl::string_view::npos ? sql.size() : end + 1;
      const absl::string_view token = sql.substr(0, length);
      add(c == '\'' || length < 2 ? std::string(token) : absl::AsciiStrToLower(token.substr(1, length - 2)));
    } else if (IsWordCharacter(c)) {
      while (length < sql.size() && IsWordCharacter(sql[length])) ++length;
      add(absl::AsciiStrToLower(sql.substr(0, length)));
    } else {
      add(sql.substr(0, 1));
    }
    sql.remove_prefix(length);
  }
  return tokens;
}

absl::Status CheckExpectedSchema(sqlite::Database& database, int version, absl::string_view name) {
  absl::StatusOr<Schema> expected = ExpectedSchema(version);
  if (!expected.ok()) return expected.status();
  const absl::StatusOr<Schema> found = ReadSchema(database, name);
  if (!found.ok()) return found.status();
  for (const auto& [object, tokens] : *found) {
    const auto known = expected->find(object);
    if (known != expected->end() && known->second == tokens) {
      expected->erase(known);
      continue;
    }
    if (IsStatistics(object, tokens)) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        database.path(), ": its ", ObjectText(object), known == expected->end() ? " is foreign" : " was changed",
        " (it may be a malicious trigger or view); restore a backup (rewrought db restore BACKUP --db FILE), or drop "
        "the object with sqlite3 if you added it yourself"));
  }
  if (expected->empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(database.path(), ": the ", ObjectText(expected->begin()->first),
                                          " is missing; restore a backup (rewrought db restore BACKUP --db FILE)"));
}

absl::StatusOr<int> SchemaVersion(sqlite::Database& database) {
  // All reads must see the same state, because another process may be migrating the database.
  const bool own = !database.in_transaction();
  if (own) {
    if (absl::Status begun = database.Run("BEGIN"); !begun.ok()) return begun;
  }
  const absl::Cleanup end = [&] {
    if (own) database.Run("COMMIT").IgnoreError();
  };
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
  if (*version < 1) {
    return absl::DataLossError(absl::StrCat(database.path(), ": its schema version is ", *version,
                                            ", but versions start at 1; restore a backup (rewrought db restore BACKUP "
                                            "--db FILE)"));
  }
  if (*version > NewestVersion()) {
    return absl::FailedPreconditionError(
        absl::StrCat(database.path(), ": written by a newer rewrought (schema version ", *version,
                     ", this one supports ", NewestVersion(), "); use that version, or another file with --db"));
  }
  if (absl::Status expected = CheckExpectedSchema(database, static_cast<int>(*version)); !expected.ok()) {
    return expected;
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
