// The database as a whole: one writing connection, reading connections as needed, transactions. What is stored lies in
// corpus_store.h, search_store.h, rule_store.h and run_store.h, each a view of one Store. Thread-safe.
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
  absl::Duration busy_timeout = absl::Seconds(30);  // how long a lock of another process is waited for
  // Whether a commit waits for the disk. Without, a power failure (not the end of the process) may lose the last
  // commits.
  bool durable = true;
  int64_t reader_cache_bytes = 32 << 20;  // of pages, by each connection to read with; up to 8 are kept
  int readers_ahead = 0;  // connections to read with that are opened now, for a process that can open none later
};

class Store {
 public:
  // Opens a database, makes it if the mode says so, and brings it to the newest schema unless it is opened to read.
  // Errors: sqlite/error.h's; FailedPrecondition for another application's database, for one of a newer schema, and for
  // one of an older schema that is opened to read only.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options = {});

  const std::string& path() const { return path_; }

  // For the views. `write` runs in the calling thread's ScopedTransaction, else in a transaction of its own that is
  // committed if it returns OK. One writer at a time; others wait.
  absl::Status Write(absl::FunctionRef<absl::Status(sqlite::Database&)> write);

  // `read` sees one consistent state: that of the last commit, or in a thread with a ScopedTransaction also what that
  // has written. Readers never wait for the writer.
  absl::Status Read(absl::FunctionRef<absl::Status(sqlite::Database&)> read);

  // Runs `work` on the writing connection outside of a transaction. FailedPrecondition in a thread that has one.
  absl::Status WithoutTransaction(absl::FunctionRef<absl::Status(sqlite::Database&)> work);

  // The id of an interned text; made if need be. Only inside Write.
  absl::StatusOr<int64_t> Intern(sqlite::Database& writer, absl::string_view text);

 private:
  friend class ScopedTransaction;
  Store(std::string path, const StoreOptions& options) : path_(std::move(path)), options_(options) {}

  absl::StatusOr<std::unique_ptr<sqlite::Database>> Connect(OpenMode mode) const;
  absl::Status TakeWriterLock();
  absl::Status Begin();           // takes the writer
  absl::Status End(bool commit);  // gives it back
  bool OwnsTransaction() const { return owner_.load() == std::this_thread::get_id(); }

  const std::string path_;
  const StoreOptions options_;
  std::unique_ptr<DatabaseLock> writer_lock_;  // null: opened to read only; given up after writer_ is closed

  std::mutex writer_mutex_;  // held as long as a transaction lasts
  std::unique_ptr<sqlite::Database> writer_;
  std::atomic<std::thread::id> owner_;                  // the thread whose transaction is open
  absl::Status spoiled_;                                // the first error in the open transaction
  absl::flat_hash_map<std::string, int64_t> interned_;  // committed or of the open transaction

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<sqlite::Database>> idle_readers_;
};

// Groups writes of one thread; what is not committed is undone. A failed write spoils the transaction: later writes and
// Commit return its error. Must end in the thread that began it, and before the Store.
class ScopedTransaction {
 public:
  // FailedPrecondition if this thread has a transaction already.
  static absl::StatusOr<std::unique_ptr<ScopedTransaction>> Begin(Store* store);
  ~ScopedTransaction();
  ScopedTransaction(const ScopedTransaction&) = delete;
  ScopedTransaction& operator=(const ScopedTransaction&) = delete;

  absl::Status Commit();

 private:
  explicit ScopedTransaction(Store* store) : store_(store) {}
  Store* store_;  // null: ended
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_STORE_H_
