// Lets a bounded number of calls compute at once, a bounded number wait, and turns the rest away.
#ifndef REWROUGHT_SERVER_RPC_GATE_H_
#define REWROUGHT_SERVER_RPC_GATE_H_

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "absl/status/statusor.h"

namespace rewrought::rpc {

class Gate {
 public:
  // Both at least 0; `running` at least 1.
  Gate(int running, int waiting) : free_(running), may_wait_(waiting) {}

  // Gives its place back when it goes.
  class Pass {
   public:
    explicit Pass(Gate* gate) : gate_(gate) {}
    Pass(Pass&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->Leave();
    }

   private:
    Gate* gate_;
  };

  // Waits for a place. ResourceExhausted at once if too many wait already; Cancelled when `stop` is requested first.
  absl::StatusOr<Pass> Enter(std::stop_token stop);

 private:
  void Leave();

  std::mutex mutex_;
  std::condition_variable_any left_;
  int free_;
  int may_wait_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_GATE_H_
