// Supports SQL functions implemented in C++: functions from text to bytes, and table-valued functions. Views of an
// untrusted database may call these functions, so they must accept any input.
#ifndef REWROUGHT_STORE_SQLITE_FUNCTIONS_H_
#define REWROUGHT_STORE_SQLITE_FUNCTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct sqlite3;
struct sqlite3_context;

namespace rewrought::store::sqlite {

// An SQL function `name(text)` that returns a BLOB. If it returns an error, the statement fails with DataLoss.
struct BytesFunction {
  const char* name;
  std::function<absl::StatusOr<std::string>(absl::string_view text)> make;
};

class Column {
 public:
  explicit Column(sqlite3_context* context) : context_(context) {}
  void SetInt(int64_t value);
  void SetText(absl::string_view text);

 private:
  sqlite3_context* context_;
};

// Iterates over the rows of one call of a table-valued function.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual bool Next() = 0;  // returns false at the end
  virtual void Give(int column, Column value) const = 0;
  virtual absl::Status status() const = 0;  // called at the end; an error means that rows are missing
};

// A table-valued function `name(number, bytes)`, as in FROM name(t.number, t.bytes).
struct TableFunction {
  const char* name;
  std::vector<std::string> columns;
  std::function<std::unique_ptr<RowSource>(int64_t number, std::string bytes)> open;
};

// Register a function with SQLite, and return SQLite's result code. Used by Database::Add.
int Register(sqlite3* database, const BytesFunction& function);
int Register(sqlite3* database, const TableFunction& function);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_FUNCTIONS_H_
