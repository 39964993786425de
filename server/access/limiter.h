// Lets a bounded number of calls run at the same time, lets a bounded number wait, and rejects the rest. A separate,
// smaller bound applies to the calls of each client.
#ifndef REWROUGHT_SERVER_ACCESS_LIMITER_H_
#define REWROUGHT_SERVER_ACCESS_LIMITER_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

class Limiter {
 public:
  // `running` must be at least 1, and `waiting` and `per_client` at least 0. `per_client` bounds the calls of one
  // client that run or wait; 0 means no limit. Error messages use `what` to describe the calls of one client.
  Limiter(int running, int waiting, int per_client = 0, const char* what = "calls of this client compute or wait")
      : free_(running), may_wait_(waiting), per_client_(per_client), what_(what) {}

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

  // Waits for a slot. Fails immediately with ResourceExhausted if too many calls, or too many of this client's calls,
  // are running or waiting. Fails with Cancelled if `stop` is requested first. The per-client bound does not apply if
  // `client` is empty.
  absl::StatusOr<Pass> Enter(std::stop_token stop, const std::string& client = "");

 private:
  void Leave(const std::string& client);
  void Forget(const std::string& client);  // decrements the client's count; requires the mutex

  std::mutex mutex_;
  std::condition_variable_any left_;
  int free_;
  int may_wait_;
  const int per_client_;
  const char* const what_;
  std::map<std::string, int> calls_;  // number of calls by client
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_LIMITER_H_
