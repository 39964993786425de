// Represents the whole database: one writing connection, reading connections that are opened on demand, and
// transactions. The classes in corpus_store.h, search_store.h, rule_store.h, and run_store.h are views of a Store.
// Thread-safe.
#ifndef REWROUGHT_STORE_STORE_H_
#define REWROUGHT_STORE_STORE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/database_lock.h"
#include "store/sqlite/database.h"

namespace rewrought::store {

using sqlite::OpenMode;

struct StoreOptions {
  OpenMode mode = OpenMode::kCreate;
  absl::Duration busy_timeout = absl::Seconds(30);  // the time to wait for another process's lock
  // Whether a commit waits for the disk. If false, the last commits may be lost in a power failure, but not when the
  // process ends.
  bool durable = true;
  int64_t reader_cache_bytes = 32 << 20;  // size of the page cache of each reading connection; up to 8 connections stay
                                          // open
  int readers_ahead = 0;  // number of reading connections that are opened in advance, for a process that cannot open
                          // files later
};

class Store {
 public:
  // Opens a database. Creates it if the mode is kCreate, and migrates it to the newest schema unless the mode is
  // kReadOnly. Fails with the errors that sqlite/error.h lists, and with FailedPrecondition if the database belongs to
  // another application, has a newer schema, or has an older schema and is opened read-only.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options = {});

  const std::string& path() const { return path_; }

  // Runs `write` in the calling thread's ScopedTransaction. If the thread has none, runs `write` in its own
  // transaction, which is committed if `write` returns OK. There is one writer at a time; other writers wait. Only the
  // views call this function.
  absl::Status Write(absl::FunctionRef<absl::Status(sqlite::Database&)> write);

  // Runs `read` on a consistent state of the database: the state of the last commit or, if the thread has a
  // ScopedTransaction, the state that includes the transaction's writes. Readers never wait for the writer.
  absl::Status Read(absl::FunctionRef<absl::Status(sqlite::Database&)> read);

  // Runs `work` on the writing connection, outside of any transaction. Fails with FailedPrecondition if the thread has
  // a transaction.
  absl::Status WithoutTransaction(absl::FunctionRef<absl::Status(sqlite::Database&)> work);

  // Returns the id of an interned string, and adds the string if necessary. Must be called only inside Write.
  absl::StatusOr<int64_t> Intern(sqlite::Database& writer, absl::string_view text);

 private:
  friend class ScopedTransaction;
  Store(std::string path, const StoreOptions& options) : path_(std::move(path)), options_(options) {}

  absl::StatusOr<std::unique_ptr<sqlite::Database>> Connect(OpenMode mode) const;
  absl::Status TakeWriterLock();
  absl::Status Begin();           // locks the writer
  absl::Status End(bool commit);  // unlocks the writer
  bool OwnsTransaction() const { return owner_.load() == std::this_thread::get_id(); }

  const std::string path_;
  const StoreOptions options_;
  std::unique_ptr<DatabaseLock> writer_lock_;  // null if read-only; released after writer_ is closed

  std::mutex writer_mutex_;  // held for the duration of a transaction
  std::unique_ptr<sqlite::Database> writer_;
  std::atomic<std::thread::id> owner_;                  // the thread that has the open transaction
  absl::Status first_error_;                            // the first error in the open transaction
  absl::flat_hash_map<std::string, int64_t> interned_;  // ids of strings added in committed or open transactions

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<sqlite::Database>> idle_readers_;
};

// Groups the writes of one thread. The destructor rolls the writes back unless Commit was called. After a failed write,
// later writes and Commit return the same error. The transaction must end in the thread that began it, and before the
// Store is destroyed.
class ScopedTransaction {
 public:
  // Fails with FailedPrecondition if this thread already has a transaction.
  static absl::StatusOr<std::unique_ptr<ScopedTransaction>> Begin(Store* store);
  ~ScopedTransaction();
  ScopedTransaction(const ScopedTransaction&) = delete;
  ScopedTransaction& operator=(const ScopedTransaction&) = delete;

  absl::Status Commit();

 private:
  explicit ScopedTransaction(Store* store) : store_(store) {}
  Store* store_;  // null after the transaction has ended
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_STORE_H_
