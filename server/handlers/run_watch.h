// Looks at the runs that calls watch, once for all of them, and wakes them when a run has changed.
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

  // `runs` may be null: then it looks at the store from time to time, as it does for other processes' runs anyway.
  RunWatch(RunQueue* runs, Read read);

  // One who watches a run.
  class Watcher {
   public:
    Watcher(RunWatch* watch, std::string id, std::function<void()> wake);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    // The run, if it has changed since the last call; true at the first.
    absl::StatusOr<bool> Changed(v1::Run* run);

   private:
    friend class RunWatch;
    RunWatch* const watch_;
    const std::string id_;
    const std::function<void()> wake_;
    uint64_t seen_ = 0;
  };

 private:
  // A run that is watched, as it was last seen.
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
  std::condition_variable_any first_;  // somebody watches
  std::map<std::string, Seen> seen_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HANDLERS_RUN_WATCH_H_
