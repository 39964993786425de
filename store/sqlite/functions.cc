#include "store/sqlite/functions.h"

#include <sqlite3.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::store::sqlite {
namespace {

absl::string_view BytesOf(sqlite3_value* value) {
  // The order matters: sqlite3_value_blob may convert the value, which changes its size.
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const int size = sqlite3_value_bytes(value);
  return bytes == nullptr ? absl::string_view() : absl::string_view(bytes, static_cast<size_t>(size));
}

template <typename T>
void Delete(void* pointer) {
  delete static_cast<T*>(pointer);
}

void CallBytesFunction(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto* function = static_cast<const BytesFunction*>(sqlite3_user_data(context));
  const absl::StatusOr<std::string> bytes = function->make(BytesOf(values[0]));
  if (bytes.ok()) {
    sqlite3_result_blob64(context, bytes->data(), bytes->size(), SQLITE_TRANSIENT);
    return;
  }
  sqlite3_result_error(context, std::string(bytes.status().message()).c_str(), -1);
  sqlite3_result_error_code(context, SQLITE_CORRUPT);
}

// ---- An eponymous virtual table as a table-valued function (sqlite.org/vtab.html, 3.2)

struct Table {
  sqlite3_vtab base;
  const TableFunction* function;
};

struct Cursor {
  sqlite3_vtab_cursor base;
  std::unique_ptr<RowSource> rows;
  bool more = false;
  sqlite3_int64 row = 0;
};

const TableFunction& FunctionOf(sqlite3_vtab_cursor* cursor) {
  return *reinterpret_cast<Table*>(cursor->pVtab)->function;
}

int Connect(sqlite3* database, void* auxiliary, int, const char* const*, sqlite3_vtab** table, char**) {
  const auto* function = static_cast<const TableFunction*>(auxiliary);
  const std::string declaration =
      absl::StrCat("CREATE TABLE x(", absl::StrJoin(function->columns, ", "), ", number HIDDEN, bytes HIDDEN)");
  if (const int code = sqlite3_declare_vtab(database, declaration.c_str()); code != SQLITE_OK) return code;
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  *table = &(new Table{{}, function})->base;
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<Table*>(table);
  return SQLITE_OK;
}

// Both parameters are required.
int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  const auto parameter = static_cast<int>(reinterpret_cast<Table*>(table)->function->columns.size());
  int given = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < parameter || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = constraint.iColumn - parameter + 1;
    info->aConstraintUsage[i].omit = 1;
    given |= 1 << (constraint.iColumn - parameter);
  }
  info->estimatedCost = 100;
  return given == 3 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

int OpenCursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = &(new Cursor{})->base;
  return SQLITE_OK;
}

int CloseCursor(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int NextRow(sqlite3_vtab_cursor* base) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  cursor->more = cursor->rows->Next();
  ++cursor->row;
  if (cursor->more) return SQLITE_OK;
  const absl::Status status = cursor->rows->status();
  if (status.ok()) return SQLITE_OK;
  sqlite3_free(base->pVtab->zErrMsg);
  base->pVtab->zErrMsg = sqlite3_mprintf("%s", std::string(status.message()).c_str());
  return SQLITE_CORRUPT_VTAB;
}

int Filter(sqlite3_vtab_cursor* base, int, const char*, int, sqlite3_value** values) {
  auto* cursor = reinterpret_cast<Cursor*>(base);
  cursor->rows = FunctionOf(base).open(sqlite3_value_int64(values[0]), std::string(BytesOf(values[1])));
  cursor->row = 0;
  return NextRow(base);
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return reinterpret_cast<Cursor*>(cursor)->more ? 0 : 1; }

int ReadColumn(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  // A column for a parameter is NULL, which is the default result.
  if (static_cast<size_t>(column) < FunctionOf(cursor).columns.size()) {
    reinterpret_cast<Cursor*>(cursor)->rows->Give(column, Column(context));
  }
  return SQLITE_OK;
}

int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* row) {
  *row = reinterpret_cast<Cursor*>(cursor)->row;
  return SQLITE_OK;
}

const sqlite3_module kTableFunctions = [] {
  sqlite3_module module = {};
  module.iVersion = 0;
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xOpen = OpenCursor;
  module.xClose = CloseCursor;
  module.xFilter = Filter;
  module.xNext = NextRow;
  module.xEof = AtEnd;
  module.xColumn = ReadColumn;
  module.xRowid = RowId;
  return module;
}();

}  // namespace

void Column::SetInt(int64_t value) { sqlite3_result_int64(context_, value); }

void Column::SetText(absl::string_view text) {
  sqlite3_result_text64(context_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int Register(sqlite3* database, const BytesFunction& function) {
  return sqlite3_create_function_v2(database, function.name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                    new BytesFunction(function), CallBytesFunction, nullptr, nullptr,
                                    Delete<BytesFunction>);
}

int Register(sqlite3* database, const TableFunction& function) {
  return sqlite3_create_module_v2(database, function.name, &kTableFunctions, new TableFunction(function),
                                  Delete<TableFunction>);
}

}  // namespace rewrought::store::sqlite
