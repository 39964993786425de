// Z3 in worker processes: a fixed number of slots, each a thread that owns one process. Whatever happens to a worker is
// kUnknown for its query and nothing for the others.
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
  int workers = 0;          // processes at most; 0: one per core
  std::string worker_path;  // empty: LocateWorker finds it
  // Address space of each worker in bytes (RLIMIT_AS). Z3's hardest known query of ours (f64 reciprocal division) takes
  // 0.6 GB in 15 s; below 80 MB not even a small one works. 0: unlimited.
  uint64_t memory_bytes = uint64_t{1536} << 20;
  int niceness = 0;                           // of each worker, beyond this process's
  std::vector<std::string> worker_arguments;  // handed to the worker as they are
};

struct WorkerPoolStats {
  uint64_t queries = 0;                                                      // answered, of any kind
  uint64_t unsat = 0, sat = 0, unknown = 0, cancelled = 0;                   // cancelled ones are also unknown
  uint64_t spawned = 0, died = 0, killed = 0, bad_replies = 0, retired = 0;  // ConnectionEvents, summed
  double busy_milliseconds = 0;  // wall time that slots spent on queries, summed
};

class WorkerPool : public Solver {
 public:
  // Errors: NotFound if there is no worker binary; InvalidArgument for a negative number of workers or above 1024.
  // Processes are started when they are needed first.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Create(const WorkerPoolOptions& options);

  // Cancels what runs, waits for the callers inside Solve to leave, and ends all workers.
  ~WorkerPool() override;

  // Waits for a free worker (this wait has no limit but `query.cancel` and CancelAll), then for the answer.
  SolverAnswer Solve(const SolverQuery& query) override;

  // Asks a worker the first time.
  std::string name_and_version() override;

  // Ends all queries that wait or run now with kUnknown, "cancelled", within a fraction of a second. Later ones are
  // taken as before.
  void CancelAll();

  WorkerPoolStats stats() const;
  int workers() const { return static_cast<int>(slots_.size()); }

 private:
  struct Job;

  WorkerPool(const WorkerCommand& command, int workers);
  void RunSlot(WorkerCommand command);
  void Count(const SolverAnswer& answer);

  mutable std::mutex mutex_;
  std::condition_variable_any job_added_;  // slots wait
  std::condition_variable_any job_ended_;  // callers wait
  std::deque<Job*> queue_;                 // not started
  std::stop_source cancel_all_;            // replaced by each CancelAll
  bool closing_ = false;
  int callers_ = 0;  // inside Solve
  WorkerPoolStats stats_;
  std::string name_and_version_;
  std::vector<std::thread> slots_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_WORKER_POOL_H_
