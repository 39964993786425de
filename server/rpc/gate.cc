#include "server/rpc/gate.h"

#include <utility>

namespace rewrought::rpc {

absl::StatusOr<Gate::Pass> Gate::Enter(std::stop_token stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (free_ == 0) {
    if (may_wait_ == 0) {
      return absl::ResourceExhaustedError("the server has as many calls as it takes; try again in a few seconds");
    }
    --may_wait_;
    const bool free = left_.wait(lock, stop, [this] { return free_ > 0; });
    ++may_wait_;
    if (!free) return absl::CancelledError("the call ended while it waited for its turn");
  }
  --free_;
  return Pass(this);
}

void Gate::Leave() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++free_;
  }
  left_.notify_one();
}

}  // namespace rewrought::rpc
