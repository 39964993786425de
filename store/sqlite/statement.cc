#include "store/sqlite/statement.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rewrought::store::sqlite {

int64_t Row::Int(int column) const { return sqlite3_column_int64(statement_, column); }

double Row::Real(int column) const {
  // No measured number is near the bound. Sums of numbers within it stay finite, so they can be sorted.
  constexpr double kMost = 1e200;
  return std::clamp(sqlite3_column_double(statement_, column), -kMost, kMost);
}

absl::string_view Row::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return absl::string_view(text, text == nullptr ? 0 : sqlite3_column_bytes(statement_, column));
}

absl::string_view Row::Bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return absl::string_view(bytes, bytes == nullptr ? 0 : sqlite3_column_bytes(statement_, column));
}

bool Row::IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int Row::columns() const { return sqlite3_column_count(statement_); }

std::string Row::Printed(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_NULL:
      return "-";
    case SQLITE_INTEGER:
      return absl::StrCat(Int(column));
    case SQLITE_FLOAT:
      return absl::StrFormat("%.17g", Real(column));
    case SQLITE_BLOB:
      return absl::StrCat("x'", absl::BytesToHexString(Bytes(column)), "'");
    default:
      return absl::StrCat("\"", absl::CHexEscape(Text(column)), "\"");
  }
}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

int Statement::Bind(int index, const Value& value) {
  const absl::string_view bytes = value.bytes();
  // A null pointer would bind NULL instead of an empty value.
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  switch (value.kind()) {
    case Value::Kind::kNull:
      return sqlite3_bind_null(statement_, index);
    case Value::Kind::kInteger:
      return sqlite3_bind_int64(statement_, index, value.integer());
    case Value::Kind::kReal:
      return sqlite3_bind_double(statement_, index, value.real());
    case Value::Kind::kText:
      return sqlite3_bind_text64(statement_, index, data, bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
    case Value::Kind::kBlob:
      return sqlite3_bind_blob64(statement_, index, data, bytes.size(), SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

int Statement::Step() { return sqlite3_step(statement_); }

void Statement::Reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

int Statement::parameters() const { return sqlite3_bind_parameter_count(statement_); }

}  // namespace rewrought::store::sqlite
