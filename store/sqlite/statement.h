// Defines a prepared statement with bound parameters, and the values of parameters and columns.
#ifndef REWROUGHT_STORE_SQLITE_STATEMENT_H_
#define REWROUGHT_STORE_SQLITE_STATEMENT_H_

#include <concepts>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

struct sqlite3_stmt;

namespace rewrought::store::sqlite {

// Bytes to bind as a BLOB; plain strings are bound as TEXT.
struct Blob {
  absl::string_view bytes;
};

// The value of a parameter. It does not own its bytes, which must stay valid until the statement has run. Strings may
// contain any bytes, including NUL.
class Value {
 public:
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob };

  Value(std::nullptr_t) {}                                                 // NOLINT
  Value(std::integral auto integer)                                        // NOLINT
      : kind_(Kind::kInteger), integer_(static_cast<int64_t>(integer)) {}  // uint64_t values round-trip through a cast
  Value(double real) : kind_(Kind::kReal), real_(real) {}                  // NOLINT
  Value(absl::string_view text) : kind_(Kind::kText), bytes_(text) {}      // NOLINT
  Value(const std::string& text) : kind_(Kind::kText), bytes_(text) {}     // NOLINT
  Value(const char* text) : kind_(Kind::kText), bytes_(text) {}            // NOLINT
  Value(Blob blob) : kind_(Kind::kBlob), bytes_(blob.bytes) {}             // NOLINT

  Kind kind() const { return kind_; }
  int64_t integer() const { return integer_; }
  double real() const { return real_; }
  absl::string_view bytes() const { return bytes_; }

 private:
  Kind kind_ = Kind::kNull;
  int64_t integer_ = 0;
  double real_ = 0;
  absl::string_view bytes_;
};

// The current row of a statement. Columns are counted from 0. Views are valid until the statement advances.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}

  int64_t Int(int column) const;
  double Real(int column) const;
  absl::string_view Text(int column) const;
  absl::string_view Bytes(int column) const;
  bool IsNull(int column) const;
  std::string String(int column) const { return std::string(Text(column)); }
  int columns() const;

  // Returns the column as text for dumps: NULL as "-", reals in full precision, blobs as x'hex', and text in quotes
  // with \xHH escapes.
  std::string Printed(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// Owns a prepared statement. Its functions return SQLite's result codes. Used by Database::Run and Database::Query.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(Statement&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  int Bind(int index, const Value& value);  // index is counted from 1
  int Step();
  void Reset();  // also clears the parameters
  Row row() const { return Row(statement_); }
  int parameters() const;

 private:
  sqlite3_stmt* statement_;
};

}  // namespace rewrought::store::sqlite

#endif  // REWROUGHT_STORE_SQLITE_STATEMENT_H_
