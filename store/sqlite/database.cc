#include "store/sqlite/database.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "store/sqlite/bus_error.h"
#include "store/sqlite/error.h"
#include "store/sqlite/in_memory.h"
#include "store/sqlite/network_file_system.h"

namespace rewrought::store::sqlite {
namespace {

std::string Uri(const std::string& path, absl::string_view query) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/._-", absl::string_view(&c, 1));
    absl::StrAppend(&uri, plain ? std::string(1, c) : absl::StrFormat("%%%02x", static_cast<unsigned char>(c)));
  }
  return absl::StrCat(uri, "?", query);
}

std::string FolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Checks that the file is writable, because SQLite would open a file that it cannot write to, and either fail later or
// blame the files next to it.
absl::Status CheckWritable(const std::string& path) {
  for (const std::string& place : {path, FolderOf(path)}) {
    if (access(place.c_str(), W_OK) == 0 || errno == ENOENT) continue;
    Failure failure;
    failure.code = SQLITE_READONLY;
    failure.system_errno = errno;
    failure.path = path;
    return ToStatus(failure, "opening");
  }
  return absl::OkStatus();
}

// Checks that the file has only one hard link. SQLite names the log after the path of the database, so writing through
// two hard links would use two logs, which damages the database (https://sqlite.org/howtocorrupt.html, 2.5).
absl::Status CheckOneName(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0 || about.st_nlink < 2) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": this file has ", about.st_nlink,
                   " names (hard links), and writing a database through two names damages it; remove the others "
                   "(find FOLDER -samefile ",
                   path, "), or copy it and use the copy with --db"));
}

absl::Status CheckPath(const std::string& path, OpenMode mode) {
  if (path == kInMemory) return absl::OkStatus();
  if (path.empty()) return absl::InvalidArgumentError("the path of the database is empty; specify a file with --db");
  if (path.find('\0') != std::string::npos)
    return absl::InvalidArgumentError("the path of the database contains a NUL byte");
  if (absl::Status local = CheckLocalDisk(path); !local.ok()) return local;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder; specify a file in it with --db"));
  }
  if (std::filesystem::exists(status)) return absl::OkStatus();
  if (mode != OpenMode::kCreate) {
    return absl::NotFoundError(absl::StrCat(
        path, ": no such database; create one with `rewrought harvest PATH --db FILE`, or check the path"));
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return absl::OkStatus();
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  Failure failure;
  failure.code = SQLITE_CANTOPEN;
  failure.system_errno = error.value();
  failure.detail = error.message();
  failure.path = folder.string();
  return ToStatus(failure, "creating the folder");
}

// Returns the error of the last failed system call on the log or the main file, or 0. The errno of a failed COMMIT is
// available nowhere else.
int LastErrno(sqlite3* database) {
  int result = 0;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log != nullptr && log->pMethods != nullptr) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &result);
  if (result == 0) sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &result);
  return result;
}

// Returns whether the database consists only of the main file and cannot change: it has no log, and this user cannot
// write to its folder.
bool IsImmutable(const std::string& path) {
  std::error_code error;
  const auto log_size = std::filesystem::file_size(path + "-wal", error);
  if (!error && log_size > 0) return false;
  return access(FolderOf(path).c_str(), W_OK) != 0;
}

// Bounds the memory that all connections use together, so that a statement on an untrusted database fails instead of
// exhausting the memory.
void BoundMemory() {
  constexpr sqlite3_int64 kMostMemory = sqlite3_int64{4} << 30;
  static const sqlite3_int64 before = sqlite3_hard_heap_limit64(kMostMemory);
  (void)before;
}

}  // namespace

absl::Status Database::Error(int code, absl::string_view doing) const {
  Failure failure;
  failure.code = code;
  failure.path = path_;
  if (database_ != nullptr) {
    failure.system_errno = sqlite3_system_errno(database_);
    failure.detail = sqlite3_errmsg(database_);
    if ((code & 0xff) == SQLITE_IOERR && failure.system_errno == 0) failure.system_errno = LastErrno(database_);
  }
  return ToStatus(failure, doing);
}

absl::Status Database::Prepare(absl::Duration busy_timeout) {
  sqlite3_extended_result_codes(database_, 1);
  sqlite3_busy_timeout(database_, static_cast<int>(absl::ToInt64Milliseconds(busy_timeout)));
  // A negative cache size is in KiB, so the cache has 32 MiB. The main file is not mapped into memory, because a file
  // that another process truncates should cause an error and not a signal.
  absl::Status settings = Script(
      "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768; "
      "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;");
  if (!settings.ok()) return settings;
  // This statement is the first to read the file, so it detects files that are unreadable or not databases.
  return QueryInt("SELECT count(*) FROM sqlite_schema").status();
}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const std::string& path, OpenMode mode,
                                                         absl::Duration busy_timeout) {
  if (absl::Status status = CheckPath(path, mode); !status.ok()) return status;
  InstallBusErrorHandler();
  BoundMemory();
  const auto open = [&](const std::string& name, int flags) -> absl::StatusOr<std::unique_ptr<Database>> {
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<Database> database(new Database(connection, path));
    if (code != SQLITE_OK) return database->Error(code, "opening");
    if (absl::Status status = database->Prepare(busy_timeout); !status.ok()) return status;
    return database;
  };
  if (mode == OpenMode::kReadOnly) {
    absl::StatusOr<std::unique_ptr<Database>> database = open(path, SQLITE_OPEN_READONLY);
    if (database.ok() || !IsImmutable(path)) return database;
    // In WAL mode, even a reader creates a file next to the database. If the folder is read-only, the file is opened as
    // immutable instead.
    absl::StatusOr<std::unique_ptr<Database>> immutable =
        open(Uri(path, "immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    return immutable.ok() ? std::move(immutable) : std::move(database);
  }
  if (path != kInMemory) {
    if (absl::Status status = CheckWritable(path); !status.ok()) return status;
    if (absl::Status status = CheckOneName(path); !status.ok()) return status;
  }
  return open(path, SQLITE_OPEN_READWRITE | (mode == OpenMode::kCreate ? SQLITE_OPEN_CREATE : 0));
}

Database::~Database() {
  idle_.clear();
  sqlite3_close_v2(database_);
}

absl::StatusOr<Statement> Database::Take(absl::string_view sql) {
  if (auto it = idle_.find(sql); it != idle_.end() && !it->second.empty()) {
    Statement statement = std::move(it->second.back());
    it->second.pop_back();
    return statement;
  }
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &prepared, nullptr);
  if (code != SQLITE_OK) return Error(code, absl::StrCat("preparing: ", sql));
  return Statement(prepared);
}

void Database::Release(absl::string_view sql, Statement statement) {
  statement.Reset();
  idle_[sql].push_back(std::move(statement));
}

absl::Status Database::Query(absl::string_view sql, std::initializer_list<Value> values, RowCallback visit) {
  absl::StatusOr<Statement> statement = Take(sql);
  if (!statement.ok()) return statement.status();
  // The statement is reset before it is cached, so that it does not keep a read lock.
  absl::Cleanup give_back = [&] { Release(sql, *std::move(statement)); };
  if (statement->parameters() != static_cast<int>(values.size())) {
    return absl::InternalError(absl::StrCat("wrong number of parameters for statement: ", sql));
  }
  int index = 0;
  for (const Value& value : values) {
    if (const int code = statement->Bind(++index, value); code != SQLITE_OK) return Error(code, "binding a parameter");
  }
  while (true) {
    const int code = statement->Step();
    if (code == SQLITE_DONE) return absl::OkStatus();
    if (code != SQLITE_ROW) return Error(code, absl::StrCat("running: ", sql.substr(0, 60)));
    if (absl::Status status = visit(statement->row()); !status.ok()) return status;
  }
}

absl::Status Database::Run(absl::string_view sql, std::initializer_list<Value> values) {
  return Query(sql, values, [](const Row&) { return absl::OkStatus(); });
}

absl::StatusOr<int64_t> Database::QueryInt(absl::string_view sql, std::initializer_list<Value> values) {
  int64_t result = 0;
  bool found = false;
  absl::Status status = Query(sql, values, [&](const Row& row) {
    if (!found) result = row.Int(0);
    found = true;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  if (!found) return absl::NotFoundError(absl::StrCat(path_, ": the query returned no row: ", sql.substr(0, 60)));
  return result;
}

absl::Status Database::Script(const std::string& sql) {
  const int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code, absl::StrCat("running: ", sql.substr(0, 60)));
}

absl::Status Database::Attach(const std::string& path, absl::string_view name) {
  if (absl::Status status = CheckPath(path, OpenMode::kReadWrite); !status.ok()) return status;
  absl::Status status = Run("ATTACH ?1 AS ?2", {path, name});
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(path, ": cannot be attached; ", status.message()));
}

absl::Status Database::CopyInto(Database* other, const std::function<bool(double)>& progress) {
  // Use one read transaction for all pages, so that other processes' commits neither appear in the copy nor restart it.
  if (absl::Status begun = Script("BEGIN; SELECT count(*) FROM sqlite_schema;"); !begun.ok()) return begun;
  const absl::Cleanup end = [this] { Script("COMMIT;").IgnoreError(); };
  sqlite3_backup* const backup = sqlite3_backup_init(other->database_, "main", database_, "main");
  if (backup == nullptr) return other->Error(sqlite3_extended_errcode(other->database_), "copying");
  constexpr int kPages = 256;  // number of pages between two calls of `progress`
  int code = SQLITE_OK;
  bool stopped = false;
  while (code == SQLITE_OK && !stopped) {
    code = sqlite3_backup_step(backup, kPages);
    const int pages = sqlite3_backup_pagecount(backup), left = sqlite3_backup_remaining(backup);
    if (progress != nullptr) stopped = !progress(pages > 0 ? 1.0 - static_cast<double>(left) / pages : 1.0);
  }
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE && code != SQLITE_OK) return other->Error(code, "copying");
  return code == SQLITE_DONE ? absl::OkStatus() : absl::CancelledError("stopped; the copy was not made");
}

absl::Status Database::Add(const BytesFunction& function) {
  const int code = Register(database_, function);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code, "adding a function");
}

absl::Status Database::Add(const TableFunction& function) {
  const int code = Register(database_, function);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code, "adding a function");
}

int64_t Database::changes() const { return sqlite3_changes64(database_); }

int64_t Database::last_row_id() const { return sqlite3_last_insert_rowid(database_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(database_) == 0; }

}  // namespace rewrought::store::sqlite
