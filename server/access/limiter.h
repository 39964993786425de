// Lets a bounded number of calls run at the same time, lets a bounded number wait, and rejects the rest. Clients take
// turns, so a client with many waiting calls does not delay the others.
#ifndef REWROUGHT_SERVER_ACCESS_LIMITER_H_
#define REWROUGHT_SERVER_ACCESS_LIMITER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

struct LimiterOptions {
  int running = 1;         // calls that run at the same time; at least 1
  int waiting = 0;         // calls that wait
  int client_calls = 0;    // calls of one client that run or wait; 0: no limit
  int client_running = 0;  // calls of one client that run at the same time; 0: no limit
  const char* what = "calls of this client compute or wait";  // describes the calls of one client in error messages
};

class Limiter {
 public:
  explicit Limiter(const LimiterOptions& options) : options_(options), free_(options.running) {}

  // Represents a slot, which the destructor releases.
  class Pass {
   public:
    Pass(Limiter* limiter, std::string client) : limiter_(limiter), client_(std::move(client)) {}
    Pass(Pass&& other) noexcept : limiter_(other.limiter_), client_(std::move(other.client_)) {
      other.limiter_ = nullptr;
    }
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (limiter_ != nullptr) limiter_->Leave(client_);
    }

   private:
    Limiter* limiter_;
    std::string client_;
  };

  // Waits for a slot. A free slot goes to the client with the fewest running calls, and among these, to the client that
  // has waited longest since its last turn. Fails immediately with ResourceExhausted if too many calls, or too many of
  // this client's calls, are running or waiting. Fails with Cancelled if `stop` is requested first. The bounds on a
  // client do not apply if `client` is empty.
  absl::StatusOr<Pass> Enter(std::stop_token stop, const std::string& client = "");

 private:
  struct Waiter {
    bool admitted = false;
    std::condition_variable_any turn;
  };
  struct Client {
    int calls = 0, running = 0;
    uint64_t turn = 0;  // increases with the time at which the client arrived or last got a slot
    std::deque<Waiter*> waiting;
  };
  // These methods require the mutex.
  bool MayRun(const std::string& name, const Client& client) const;
  void Admit();  // gives the free slots to waiting calls
  void Forget(const std::string& name);

  void Leave(const std::string& client);

  const LimiterOptions options_;
  std::mutex mutex_;
  int free_;
  int waiting_ = 0;
  uint64_t turns_ = 1;                     // number of slots granted so far
  std::map<std::string, Client> clients_;  // the clients with running or waiting calls
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_LIMITER_H_
