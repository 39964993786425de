// Runs as jobs: stored before anything is done, carried out one at a time in a thread of their own, resumed by the next
// server if this one ends first.
#ifndef REWROUGHT_SERVER_JOBS_RUN_QUEUE_H_
#define REWROUGHT_SERVER_JOBS_RUN_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/rewrought/v1/run.pb.h"
#include "server/jobs/engines.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::rpc {

class RunQueue {
 public:
  // At most `max_queued` runs wait beside the one that runs. Nothing is owned.
  RunQueue(store::Store* store, RunEngine* engine, int max_queued);
  ~RunQueue();  // Stop()

  // Queues the runs that an earlier server left unfinished, oldest first, beyond the limit if need be. Runs that
  // another process made (the command line's) are left alone.
  absl::Status Resume();

  // Stores a run and queues it. With a request id that was used before: that run. InvalidArgument: the request id was
  // used with another configuration; ResourceExhausted: the queue is full; else the store's errors.
  absl::StatusOr<store::RunRecord> Start(const v1::NightlyConfig& config, absl::string_view request_id);

  // Takes a run that waits out of the queue, asks one that runs to stop, and leaves one that has ended as it is.
  // NotFound: no such run; FailedPrecondition: another process carries it out.
  absl::StatusOr<store::RunRecord> Cancel(absl::string_view id);

  // Queues a run of ours again that was cancelled, is paused or failed. NotFound: no such run; FailedPrecondition: it
  // is done, is not over, or another process made it; ResourceExhausted: the queue is full.
  absl::StatusOr<store::RunRecord> ResumeRun(absl::string_view id);

  // Runs that wait, and whether one is carried out.
  struct Load {
    size_t waiting = 0, running = 0;
  };
  Load load();

  // A number that grows with every change of a run of this queue.
  uint64_t changes();
  // Waits until changes() is not `seen`, `stop` is requested or `limit` has passed.
  void WaitForChange(uint64_t seen, std::stop_token stop, absl::Duration limit);

  // Asks the run to stop and waits until it has; it and those that wait are resumed by the next server.
  void Stop();

 private:
  void Work(std::stop_token stop);
  void Execute(const std::string& id, std::stop_token shutdown);
  absl::StatusOr<std::string> RunToEnd(const store::RunRecord& record, std::stop_token stop);
  absl::Status CheckRoom();  // ResourceExhausted: none
  // Changes the stored run in one transaction, and wakes those who watch.
  absl::Status Modify(const std::string& id, const std::function<void(store::RunRecord*)>& change);

  store::Store* const store_;
  RunEngine* const engine_;
  const size_t max_queued_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> waiting_;
  std::string running_;             // id, or empty
  std::stop_source cancel_;         // of the run that runs
  bool cancelled_by_user_ = false;  // that run
  uint64_t changes_ = 0;
  std::mutex start_mutex_;  // one Start at a time: a request id is looked up, then stored
  std::jthread thread_;     // last: it uses all of the above
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_RUN_QUEUE_H_
