#include "store/store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "store/schema.h"
#include "store/sites/site_sql.h"

namespace rewrought::store {
namespace {

constexpr size_t kMaxInterned = 200000;
constexpr size_t kMaxIdleReaders = 8;

absl::Status NotWritable(const std::string& path) {
  return absl::PermissionDeniedError(absl::StrCat(path, ": opened read-only"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<sqlite::Database>> Store::Connect(OpenMode mode) const {
  absl::StatusOr<std::unique_ptr<sqlite::Database>> database =
      sqlite::Database::Open(path_, mode, options_.busy_timeout);
  if (!database.ok()) return database;
  if (absl::Status status = AddSiteFunctions(**database); !status.ok()) return status;
  if (mode != OpenMode::kReadOnly) return database;
  const std::string cache = absl::StrCat("PRAGMA cache_size = -", options_.reader_cache_bytes >> 10, ";");
  if (absl::Status status = (*database)->Script(cache); !status.ok()) return status;
  return database;
}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const std::string& path, const StoreOptions& options) {
  std::unique_ptr<Store> store(new Store(path, options));
  absl::StatusOr<std::unique_ptr<sqlite::Database>> database = store->Connect(options.mode);
  if (!database.ok()) return database.status();
  // Check first that the file is a Rewrought database, so that nothing is written to another application's file.
  const absl::StatusOr<int> version = SchemaVersion(**database);
  if (!version.ok()) return version.status();
  if (options.mode == OpenMode::kReadOnly) {
    if (*version < NewestVersion()) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": has an older schema version (", *version, ", this program reads ", NewestVersion(),
                       "); open it once with a command that writes, such as `rewrought harvest`"));
    }
    store->idle_readers_.push_back(*std::move(database));
    return store;
  }
  if (absl::Status status = store->TakeWriterLock(); !status.ok()) return status;
  const std::string settings =
      absl::StrCat("PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 67108864; PRAGMA synchronous = ",
                   options.durable ? "FULL" : "NORMAL", ";");
  if (absl::Status status = (*database)->Script(settings); !status.ok()) return status;
  if (absl::Status status = Migrate(**database); !status.ok()) return status;
  store->writer_ = *std::move(database);
  for (int i = 0; i < options.readers_ahead; ++i) {
    absl::StatusOr<std::unique_ptr<sqlite::Database>> reader = store->Connect(OpenMode::kReadOnly);
    if (!reader.ok()) return reader.status();
    store->idle_readers_.push_back(*std::move(reader));
  }
  return store;
}

// Waits if a process is replacing the whole database, which takes only seconds.
absl::Status Store::TakeWriterLock() {
  const absl::Time deadline = absl::Now() + options_.busy_timeout;
  while (true) {
    absl::StatusOr<std::unique_ptr<DatabaseLock>> taken = DatabaseLock::TakeAsWriter(path_);
    if (taken.ok()) {
      writer_lock_ = *std::move(taken);
      return absl::OkStatus();
    }
    if (!absl::IsFailedPrecondition(taken.status())) return taken.status();
    if (absl::Now() >= deadline) {
      return absl::UnavailableError(
          absl::StrCat(path_, ": is being replaced by ", taken.status().message(), "; wait for it to end"));
    }
    absl::SleepFor(absl::Milliseconds(50));
  }
}

absl::Status Store::Begin() {
  if (OwnsTransaction()) return absl::FailedPreconditionError("this thread already has a transaction; end it first");
  if (writer_ == nullptr) return NotWritable(path_);
  writer_mutex_.lock();
  if (absl::Status status = writer_->Run("BEGIN IMMEDIATE"); !status.ok()) {
    writer_mutex_.unlock();
    return status;
  }
  first_error_ = absl::OkStatus();
  owner_.store(std::this_thread::get_id());
  return absl::OkStatus();
}

absl::Status Store::End(bool commit) {
  absl::Status status = commit ? first_error_ : absl::OkStatus();
  if (commit && status.ok()) status = writer_->Run("COMMIT");
  const bool committed = commit && status.ok();
  // If the disk was full, SQLite has already rolled back the transaction.
  if (writer_->in_transaction()) writer_->Run("ROLLBACK").IgnoreError();
  if (!committed || interned_.size() > kMaxInterned) interned_.clear();
  owner_.store(std::thread::id());
  writer_mutex_.unlock();
  return status;
}

absl::Status Store::Write(absl::FunctionRef<absl::Status(sqlite::Database&)> write) {
  const bool own = !OwnsTransaction();
  if (own) {
    if (absl::Status status = Begin(); !status.ok()) return status;
  }
  if (first_error_.ok()) first_error_ = write(*writer_);
  const absl::Status status = first_error_;
  return own ? End(/*commit=*/true) : status;
}

absl::Status Store::Read(absl::FunctionRef<absl::Status(sqlite::Database&)> read) {
  if (OwnsTransaction()) return read(*writer_);
  std::unique_ptr<sqlite::Database> reader;
  {
    const std::lock_guard<std::mutex> lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
    }
  }
  if (reader == nullptr) {
    absl::StatusOr<std::unique_ptr<sqlite::Database>> opened = Connect(OpenMode::kReadOnly);
    if (!opened.ok()) return opened.status();
    reader = *std::move(opened);
  }
  absl::Status status = reader->Run("BEGIN");
  if (status.ok()) status = read(*reader);
  if (reader->in_transaction()) status.Update(reader->Run("COMMIT"));
  const std::lock_guard<std::mutex> lock(readers_mutex_);
  if (!reader->in_transaction() && idle_readers_.size() < kMaxIdleReaders) idle_readers_.push_back(std::move(reader));
  return status;
}

absl::Status Store::WithoutTransaction(absl::FunctionRef<absl::Status(sqlite::Database&)> work) {
  if (OwnsTransaction()) return absl::FailedPreconditionError("this thread has a transaction open; commit it first");
  if (writer_ == nullptr) return NotWritable(path_);
  const std::lock_guard<std::mutex> lock(writer_mutex_);
  interned_.clear();
  return work(*writer_);
}

absl::StatusOr<int64_t> Store::Intern(sqlite::Database& writer, absl::string_view text) {
  if (auto it = interned_.find(text); it != interned_.end()) return it->second;
  absl::StatusOr<int64_t> id = writer.QueryInt("SELECT id FROM strings WHERE text = ?1", {text});
  if (absl::IsNotFound(id.status())) {
    if (absl::Status status = writer.Run("INSERT INTO strings (text) VALUES (?1)", {text}); !status.ok()) return status;
    id = writer.last_row_id();
  }
  if (id.ok()) interned_.emplace(text, *id);
  return id;
}

absl::StatusOr<std::unique_ptr<ScopedTransaction>> ScopedTransaction::Begin(Store* store) {
  if (absl::Status status = store->Begin(); !status.ok()) return status;
  return std::unique_ptr<ScopedTransaction>(new ScopedTransaction(store));
}

ScopedTransaction::~ScopedTransaction() {
  if (store_ != nullptr) store_->End(/*commit=*/false).IgnoreError();
}

absl::Status ScopedTransaction::Commit() {
  if (store_ == nullptr) return absl::FailedPreconditionError("the transaction has already ended");
  return std::exchange(store_, nullptr)->End(/*commit=*/true);
}

}  // namespace rewrought::store
