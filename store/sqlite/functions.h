// Functions of SQL that are written in C++: one that makes bytes of text, and tables that are made of parameters. They
// may stand in views of a database that is not trusted, so they must take any input.
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

// `name(text)` gives a BLOB. An error becomes the statement's: DataLoss for any.
struct BytesFunction {
  const char* name;
  std::function<absl::StatusOr<std::string>(absl::string_view text)> make;
};

// Where a column's value goes.
class Column {
 public:
  explicit Column(sqlite3_context* context) : context_(context) {}
  void SetInt(int64_t value);
  void SetText(absl::string_view text);

 private:
  sqlite3_context* context_;
};

// The rows of one call of a table-valued function, one after the other.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual bool Next() = 0;  // false at the end
  virtual void Give(int column, Column value) const = 0;
  virtual absl::Status status() const = 0;  // asked at the end: whether that was all
};

// A table `name(number, bytes)`, as in FROM name(t.number, t.bytes).
struct TableFunction {
  const char* name;
  std::vector<std::string> columns;
  std::function<std::unique_ptr<RowSource>(int64_t number, std::string bytes)> open;
};

// For Database::Add. Result codes are SQLite's.
int Register(sqlite3* database, const BytesFunction& function);
int Register(sqlite3* database, const TableFunction& function);

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_FUNCTIONS_H_
