// Turns the end of a call - cancelled by the client, past its deadline, the server going down - into a std::stop_token
// for the work done on its behalf.
#ifndef REWROUGHT_SERVER_RPC_CALL_H_
#define REWROUGHT_SERVER_RPC_CALL_H_

#include <grpcpp/server_context.h>

#include <condition_variable>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

class Call;

// One thread that looks after all calls in flight, every 20 ms. Must outlive them.
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

// One call, for as long as its handler runs.
class Call {
 public:
  // The work may take `limit`, or as long as the client waits if that is shorter.
  Call(CallWatcher* watcher, grpc::ServerContext* context, absl::Duration limit);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::stop_token stop() const { return source_.get_token(); }
  absl::Duration remaining() const;  // at least 0
  absl::Time deadline() const { return deadline_; }

  // Why an answer is pointless: Cancelled or DeadlineExceeded if the client no longer waits, Unavailable if the server
  // goes down. OK otherwise, also when only `limit` is over.
  absl::Status ended() const;

 private:
  friend class CallWatcher;

  CallWatcher* const watcher_;
  grpc::ServerContext* const context_;
  absl::Time client_deadline_;
  absl::Time deadline_;
  std::stop_source source_;
  std::list<Call*>::iterator place_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_CALL_H_
