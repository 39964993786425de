// Manages one connection to a SQLite file: opens the file, runs statements with bound parameters, and returns clear
// errors. This code is independent of the schema. Only one thread may use a connection at a time.
#ifndef REWROUGHT_STORE_SQLITE_DATABASE_H_
#define REWROUGHT_STORE_SQLITE_DATABASE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sqlite/functions.h"
#include "store/sqlite/statement.h"

struct sqlite3;

namespace rewrought::store::sqlite {

enum class OpenMode {
  kReadOnly,   // the file must exist; nothing is written, not even next to the file if its folder is read-only
  kReadWrite,  // the file must exist
  kCreate,     // the file and its parent folders are created if necessary
};

using RowCallback = absl::FunctionRef<absl::Status(const Row&)>;

class Database {
 public:
  // Opens a connection with foreign keys enabled. If another process holds a lock, waits up to `busy_timeout`. All
  // functions fail with the errors that error.h lists.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, OpenMode mode,
                                                        absl::Duration busy_timeout);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs one statement to completion. `values` are the statement's parameters ?1, ?2, …, in order; there must be
  // exactly one value for each parameter. Prepared statements are cached.
  absl::Status Run(absl::string_view sql, std::initializer_list<Value> values = {});

  // Like Run, but calls `visit` for each row, and stops at the first error that `visit` returns. `visit` may use the
  // connection.
  absl::Status Query(absl::string_view sql, std::initializer_list<Value> values, RowCallback visit);

  // Returns the first column of the first row as an integer. Fails with NotFound if there is no row.
  absl::StatusOr<int64_t> QueryInt(absl::string_view sql, std::initializer_list<Value> values = {});

  // Runs statements without parameters, separated by semicolons.
  absl::Status Script(const std::string& sql);

  // Attaches another database, which must exist, as `name`. No transaction may be open.
  absl::Status Attach(const std::string& path, absl::string_view name);

  // Makes `other` a copy of this database in one transaction: readers of `other` see either its old content or the
  // complete new content, even after a crash. Other processes may write to this database in the meantime. Calls
  // `progress` (may be null) with the completed share, from 0 to 1. If `progress` returns false, the copy stops with
  // Cancelled.
  absl::Status CopyInto(Database* other, const std::function<bool(double)>& progress);

  // Registers an SQL function for this connection's statements. Replaces any function of the same name.
  absl::Status Add(const BytesFunction& function);
  absl::Status Add(const TableFunction& function);

  int64_t changes() const;      // number of rows that the last statement inserted, updated, or deleted
  int64_t last_row_id() const;  // row id of the last inserted row
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
  absl::StatusOr<Statement> Take(absl::string_view sql);
  void Release(absl::string_view sql, Statement statement);
  absl::Status Error(int code, absl::string_view doing) const;
  absl::Status Prepare(absl::Duration busy_timeout);

  sqlite3* database_;
  const std::string path_;
  // Idle statements, keyed by their text. Several statements have the same text if a row callback ran that text again.
  absl::flat_hash_map<std::string, std::vector<Statement>> idle_;
};

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_DATABASE_H_
