// Polls each watched run once on behalf of all its watchers, and wakes the watchers when the run changes.
#ifndef REWROUGHT_SERVER_HANDLERS_RUN_WATCH_H_
#define REWROUGHT_SERVER_HANDLERS_RUN_WATCH_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/run.pb.h"
#include "server/jobs/run_queue.h"

namespace rewrought::rpc {

class RunWatch {
 public:
  using Read = std::function<absl::StatusOr<v1::Run>(const std::string& id)>;

  // `runs` may be null. Runs of other processes are polled even then.
  RunWatch(RunQueue* runs, Read read);

  class Watcher {
   public:
    Watcher(RunWatch* watch, std::string id, std::function<void()> wake);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // Returns whether the run has changed since the last call, and sets `run` if so. Returns true on the first call.
    absl::StatusOr<bool> Changed(v1::Run* run);

   private:
    friend class RunWatch;
    RunWatch* const watch_;
    const std::string id_;
    const std::function<void()> wake_;
    uint64_t seen_ = 0;
  };

 private:
  struct Seen {
    absl::StatusOr<v1::Run> run = absl::UnknownError("not read yet");
    uint64_t version = 0;  // counts changes
    std::map<const Watcher*, std::function<void()>> watchers;
  };

  void Look(std::stop_token stop);
  void LookAt(const std::string& id);

  RunQueue* const runs_;
  const Read read_;
  std::mutex mutex_;
  std::condition_variable_any first_;  // signals that the first watcher was added
  std::map<std::string, Seen> seen_;
  std::jthread thread_;  // must be the last member, because the thread uses the others
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RUN_WATCH_H_
