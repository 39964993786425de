// One connection to a SQLite file: opens it, runs statements with bound parameters, gives clear errors. Knows nothing
// of what is stored. A connection is used by one thread at a time.
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
  kReadOnly,   // the file must exist; nothing is written, not even beside it if the folder cannot be written
  kReadWrite,  // the file must exist
  kCreate,     // the file, and the folders above it, are made if need be
};

using RowCallback = absl::FunctionRef<absl::Status(const Row&)>;

class Database {
 public:
  // Opens a connection; foreign keys are on. A lock of another process is waited for up to `busy_timeout`. The errors
  // of all functions are those of error.h.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path, OpenMode mode,
                                                        absl::Duration busy_timeout);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs one statement to its end, its parameters ?1, ?2, … given in order, exactly as many. Statements are prepared
  // once and kept.
  absl::Status Run(absl::string_view sql, std::initializer_list<Value> values = {});

  // The same, calling `visit` for each row; ends with the first error that it returns. `visit` may use the connection.
  absl::Status Query(absl::string_view sql, std::initializer_list<Value> values, RowCallback visit);

  // The first column of the first row, as an integer; NotFound if there is no row.
  absl::StatusOr<int64_t> QueryInt(absl::string_view sql, std::initializer_list<Value> values = {});

  // Runs statements without parameters, separated by semicolons, each once.
  absl::Status Script(const std::string& sql);

  // Makes another database visible as `name`. No transaction may be open, the file must exist.
  absl::Status Attach(const std::string& path, absl::string_view name);

  // Makes `other` a copy of this database, in one transaction: whoever reads it, or kills this process, finds the old
  // content or all of the new. Others may write this database meanwhile. `progress` (may be null) is told the share
  // done, 0 to 1, and stops the copy by returning false: Cancelled.
  absl::Status CopyInto(Database* other, const std::function<bool(double)>& progress);

  // Makes a function known to this connection's statements, in place of another of its name.
  absl::Status Add(const BytesFunction& function);
  absl::Status Add(const TableFunction& function);

  int64_t changes() const;      // rows that the last statement inserted, updated or deleted
  int64_t last_row_id() const;  // of the last row inserted
  bool in_transaction() const;
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
  absl::StatusOr<Statement> Take(absl::string_view sql);
  void GiveBack(absl::string_view sql, Statement statement);
  absl::Status Error(int code, absl::string_view doing) const;
  absl::Status Prepare(absl::Duration busy_timeout);

  sqlite3* database_;
  const std::string path_;
  // Idle statements by text; more than one if a row callback ran the same text.
  absl::flat_hash_map<std::string, std::vector<Statement>> idle_;
};

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_DATABASE_H_
