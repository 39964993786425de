// Executes runs as jobs, one at a time, on a separate thread. A run is stored before it starts, and the next server
// resumes a run that this server does not finish.
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
  // At most `max_queued` runs wait in addition to the active run. Does not take ownership of `store` or `engine`.
  RunQueue(store::Store* store, RunEngine* engine, int max_queued);
  ~RunQueue();  // calls Stop

  // Queues the unfinished runs of earlier servers, oldest first, even if they exceed the limit. Does not touch runs
  // that other processes started, such as those from the command line.
  absl::Status Resume();

  // Stores and queues a run. Returns the existing run if the request id was used before. Fails with InvalidArgument if
  // the request id was used with a different configuration, with ResourceExhausted if the queue is full, and with the
  // store's errors.
  absl::StatusOr<store::RunRecord> Start(const v1::NightlyConfig& config, absl::string_view request_id);

  // Removes a waiting run from the queue, asks the active run to stop, and leaves an ended run unchanged. Fails with
  // NotFound for an unknown id, and with FailedPrecondition if another process is executing the run.
  absl::StatusOr<store::RunRecord> Cancel(absl::string_view id);

  // Queues a cancelled, paused, or failed run again. Fails with NotFound for an unknown id, with FailedPrecondition if
  // the run is done, has not ended, or belongs to another process, and with ResourceExhausted if the queue is full.
  absl::StatusOr<store::RunRecord> ResumeRun(absl::string_view id);

  struct Load {
    size_t waiting = 0, running = 0;
  };
  Load load();

  // Returns a number that grows with every change to a run of this queue.
  uint64_t changes();
  // Blocks until changes() differs from `seen`, `stop` is requested, or `limit` has passed.
  void WaitForChange(uint64_t seen, std::stop_token stop, absl::Duration limit);

  // Asks the active run to stop and waits until it has. The next server resumes this run and the waiting runs.
  void Stop();

 private:
  void Work(std::stop_token stop);
  void Execute(const std::string& id, std::stop_token shutdown);
  absl::StatusOr<std::string> RunToEnd(const store::RunRecord& record, std::stop_token stop);
  absl::Status CheckCapacity();  // fails with ResourceExhausted if the queue is full
  // Changes the stored run in one transaction, and wakes its watchers.
  absl::Status Modify(const std::string& id, const std::function<void(store::RunRecord*)>& change);

  store::Store* const store_;
  RunEngine* const engine_;
  const size_t max_queued_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> waiting_;
  std::string running_;             // id of the active run, or empty
  std::stop_source cancel_;         // stops the active run
  bool cancelled_by_user_ = false;  // whether a user cancelled the active run
  uint64_t changes_ = 0;
  std::mutex start_mutex_;  // serializes Start, which looks up a request id and then stores it
  std::jthread thread_;     // must be the last member, because the thread uses the others
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_RUN_QUEUE_H_
