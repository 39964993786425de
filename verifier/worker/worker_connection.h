// A worker process and the socket to it, used by a single thread. Starts the worker, queries it, and replaces it if it
// misbehaves.
#ifndef REWROUGHT_VERIFIER_WORKER_WORKER_CONNECTION_H_
#define REWROUGHT_VERIFIER_WORKER_WORKER_CONNECTION_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "verifier/budget.h"
#include "verifier/solver.h"
#include "verifier/worker/process.h"

namespace rewrought::verifier {

struct WorkerCommand {
  std::string path;
  std::vector<std::string> arguments;
  uint64_t memory_bytes = 0;
  int niceness = 0;
};

// The numbers of events during queries, for the pool's statistics.
struct ConnectionEvents {
  int spawned = 0;    // processes started
  int died = 0;       // processes that ended by themselves, during a query or while idle
  int killed = 0;     // killed at the deadline or by cancellation
  int bad_reply = 0;  // killed because of an invalid reply
  int retired = 0;    // replaced at the worker's request
};

class WorkerConnection {
 public:
  // Starts no process before the first query.
  explicit WorkerConnection(WorkerCommand command) : command_(std::move(command)) {}

  // Sends the query and waits for its answer until 1 s after the query's wall-clock limit (LimitsOf), or until
  // `query.cancel` or `cancel_all` requests a stop. On any failure, kills the worker and returns kUnknown with a
  // reason. Must always be called on the same thread, which must outlive the connection, because the worker dies with
  // that thread. Adds to `events`.
  SolverAnswer Ask(const SolverQuery& query, const std::stop_token& cancel_all, ConnectionEvents& events);

 private:
  absl::Status EnsureRunning(ConnectionEvents& events);
  SolverAnswer Exchange(const SolverQuery& query, const QueryLimits& allowed, const IoLimits& limits,
                        ConnectionEvents& events);
  SolverAnswer Fail(IoResult result, ConnectionEvents& events);
  SolverAnswer BadReply(ConnectionEvents& events);
  void Drop();

  WorkerCommand command_;
  ChildProcess process_;
  FileDescriptor socket_;
  uint64_t last_id_ = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_WORKER_CONNECTION_H_
