// The whole database: one writing connection, reading connections on demand, and transactions. corpus_store.h,
// search_store.h, rule_store.h and run_store.h are views of a Store. Thread-safe.
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
  absl::Duration busy_timeout = absl::Seconds(30);  // how long to wait for another process's lock
  // Whether a commit waits for the disk. If false, a power failure (but not the end of the process) may lose the last
  // commits.
  bool durable = true;
  int64_t reader_cache_bytes = 32 << 20;  // page cache of each reading connection; up to 8 connections stay open
  int readers_ahead = 0;  // reading connections opened in advance, for a process that cannot open any later
};

class Store {
 public:
  // Opens a database, creates it if the mode says so, and migrates it to the newest schema unless it is opened
  // read-only. Fails with the errors of sqlite/error.h, and with FailedPrecondition for another application's
  // database, for a newer schema, and for an older schema that is opened read-only.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options = {});

  const std::string& path() const { return path_; }

  // For the views. Runs `write` in the calling thread's ScopedTransaction. Without one, runs it in its own
  // transaction and commits that if `write` returns OK. There is one writer at a time; others wait.
  absl::Status Write(absl::FunctionRef<absl::Status(sqlite::Database&)> write);

  // Runs `read` on a consistent state: the last commit, or, in a thread with a ScopedTransaction, the state including
  // that transaction's writes. Readers never wait for the writer.
  absl::Status Read(absl::FunctionRef<absl::Status(sqlite::Database&)> read);

  // Runs `work` on the writing connection outside of a transaction. Fails with FailedPrecondition if the thread has a
  // transaction.
  absl::Status WithoutTransaction(absl::FunctionRef<absl::Status(sqlite::Database&)> work);

  // Returns the id of an interned text, which it adds if necessary. Call only inside Write.
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
  std::atomic<std::thread::id> owner_;                  // the thread with the open transaction
  absl::Status first_error_;                            // the first error in the open transaction
  absl::flat_hash_map<std::string, int64_t> interned_;  // ids from committed transactions or the open one

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<sqlite::Database>> idle_readers_;
};

// Groups the writes of one thread. The destructor rolls back unless Commit was called. After a failed write, later
// writes and Commit return its error. Must end in the thread that began it, and before the Store is destroyed.
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
  Store* store_;  // null after the end
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_STORE_H_
