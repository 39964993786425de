// A call: its end - cancelled by the client, past its deadline, the server going down - as a std::stop_token for the
// work done on its behalf, its place among the calls that compute, and how long its client may take to read.
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

// One thread that looks after the deadlines of all calls in flight, every 20 ms. Must outlive them.
class CallWatcher {
 public:
  CallWatcher();
  ~CallWatcher();

  // Ends all calls, now and later ones.
  void StopAll();

 private:
  friend class Call;
  void Watch(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Call*> calls_;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

class Call {
 public:
  // `client` is who calls, for `limiter`. The work may take as long as the client waits, and it `write` to take what it
  // is sent; else the call is cancelled. Nothing is owned.
  Call(CallWatcher* watcher, Limiter* limiter, std::string client, absl::Duration write,
       grpc::ServerContextBase* context);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // From now on the work may take `limit`, if that is shorter than what is left.
  void LimitTo(absl::Duration limit);

  // LimitTo, then waits for a place among the calls that compute. Why the call has ended, or ResourceExhausted: too
  // many wait, or the limit passed in waiting.
  absl::StatusOr<Limiter::Pass> Compute(absl::Duration limit);

  // The client has gone.
  void Cancel();

  // Something is being sent to the client from now on, or it has taken it.
  void Sending(bool now);

  std::stop_token stop() const { return source_.get_token(); }
  absl::Duration remaining() const;  // at least 0

  // Why an answer is pointless: Cancelled or DeadlineExceeded if the client no longer waits, Unavailable if the server
  // goes down. OK otherwise, also when only `limit` is over.
  absl::Status ended() const;

  // Why the work was stopped: as `ended`, or DeadlineExceeded, the remedy for a limit that is over.
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
