// Runs Z3 in worker processes: a fixed number of slots, each with a thread that owns one process. If a worker fails,
// its query returns kUnknown, and other queries are not affected.
#ifndef REWROUGHT_VERIFIER_WORKER_WORKER_POOL_H_
#define REWROUGHT_VERIFIER_WORKER_WORKER_POOL_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/solver.h"
#include "verifier/worker/worker_connection.h"

namespace rewrought::verifier {

struct WorkerPoolOptions {
  int workers = 0;          // maximum number of processes; 0 for one per core
  std::string worker_path;  // if empty, LocateWorker finds it
  // Address space of each worker in bytes (RLIMIT_AS); 0 for unlimited. Our most expensive known query for Z3 (f64
  // reciprocal division) uses 0.6 GB in 15 s. Below 80 MB, even small queries fail.
  uint64_t memory_bytes = uint64_t{1536} << 20;
  int niceness = 0;                           // of each worker, relative to this process
  std::vector<std::string> worker_arguments;  // passed to the worker unchanged
};

struct WorkerPoolStats {
  uint64_t queries = 0;                                                      // answered queries, including unknown ones
  uint64_t unsat = 0, sat = 0, unknown = 0, cancelled = 0;                   // cancelled queries also count as unknown
  uint64_t spawned = 0, died = 0, killed = 0, bad_replies = 0, retired = 0;  // sums of ConnectionEvents
  double busy_milliseconds = 0;  // total wall time that slots spent on queries
};

class WorkerPool : public Solver {
 public:
  // Creates a pool, whose processes start on first use. Fails with NotFound if there is no worker binary, and with
  // InvalidArgument if the number of workers is negative or above 1024.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Create(const WorkerPoolOptions& options);

  // Cancels running queries, waits until all callers have left Solve, and ends all workers.
  ~WorkerPool() override;

  // Waits for a free worker and then for the answer. Only `query.cancel` and CancelAll limit the wait for a worker.
  SolverAnswer Solve(const SolverQuery& query) override;

  // Returns Z3's name and version. Queries a worker on the first call.
  std::string name_and_version() override;

  // Ends all waiting and running queries with kUnknown and the reason "cancelled", within a fraction of a second. Later
  // queries are answered as usual.
  void CancelAll();

  WorkerPoolStats stats() const;
  int workers() const { return static_cast<int>(slots_.size()); }

 private:
  struct Job;

  WorkerPool(const WorkerCommand& command, int workers);
  void RunSlot(WorkerCommand command);
  void Count(const SolverAnswer& answer);

  mutable std::mutex mutex_;
  std::condition_variable_any job_added_;  // slots wait on it
  std::condition_variable_any job_ended_;  // callers wait on it
  std::deque<Job*> queue_;                 // jobs that have not started
  std::stop_source cancel_all_;            // replaced by each CancelAll
  bool closing_ = false;
  int callers_ = 0;  // callers inside Solve
  WorkerPoolStats stats_;
  std::string name_and_version_;
  std::vector<std::thread> slots_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_WORKER_POOL_H_
