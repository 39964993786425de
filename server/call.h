// Represents one call: its slot among the calls that compute, a limit on how long the client may take to read a
// message, and a std::stop_token. A stop is requested when the call ends because the client cancels it, its deadline
// expires, or the server shuts down.
#ifndef REWROUGHT_SERVER_CALL_H_
#define REWROUGHT_SERVER_CALL_H_

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/access/limiter.h"

namespace rewrought::rpc {

class Call;

// Checks the deadlines of all calls in flight every 20 ms, on one thread. Must outlive the calls.
class CallWatcher {
 public:
  CallWatcher();
  ~CallWatcher();

  // Ends all current and future calls.
  void StopAll();

 private:
  friend class Call;
  void Watch(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Call*> calls_;
  bool stopped_ = false;
  std::jthread thread_;  // must be the last member, because the thread uses the others
};

class Call {
 public:
  // `client` identifies the caller to `limiter`. The work may take until the client's deadline. If the client takes
  // longer than `write` to read a message, the call is cancelled. Does not take ownership of the objects pointed to.
  Call(CallWatcher* watcher, Limiter* limiter, std::string client, absl::Duration write,
       grpc::ServerContextBase* context);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Sets the deadline of the work to `limit` from now, unless the current deadline is earlier.
  void LimitTo(absl::Duration limit);

  // Calls LimitTo, then waits for a slot among the calls that compute. Fails with the status of ended() if the call has
  // ended, or with ResourceExhausted if too many calls are waiting or the time limit expires while this call waits.
  absl::StatusOr<Limiter::Pass> Compute(absl::Duration limit);

  // Records that the client has cancelled the call.
  void Cancel();

  // Records that a message is being sent to the client (if `now` is true) or that the client has read the message.
  void Sending(bool now);

  const std::string& client() const { return client_; }
  std::stop_token stop() const { return source_.get_token(); }
  absl::Duration remaining() const;  // at least 0

  // Returns why a response would be useless: Cancelled or DeadlineExceeded if the client is no longer waiting, or
  // Unavailable if the server is shutting down. Returns OK otherwise, even if the deadline that LimitTo set has passed.
  absl::Status ended() const;

  // Returns why the work was stopped: the error of ended(), or DeadlineExceeded with `remedy` if the time limit has
  // expired.
  absl::Status Stopped(absl::string_view remedy) const;

 private:
  friend class CallWatcher;

  CallWatcher* const watcher_;
  Limiter* const limiter_;
  const std::string client_;
  const std::chrono::steady_clock::duration write_;
  grpc::ServerContextBase* const context_;
  absl::Time client_deadline_;
  absl::Time deadline_;
  std::stop_source source_;
  std::atomic<bool> cancelled_{false};
  std::atomic<std::chrono::steady_clock::time_point> taken_by_{std::chrono::steady_clock::time_point::max()};
  std::list<Call*>::iterator place_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_CALL_H_
