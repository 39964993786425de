#include "server/access/limiter.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::rpc {

absl::StatusOr<Limiter::Pass> Limiter::Enter(std::stop_token stop, const std::string& client) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool counted = per_client_ > 0 && !client.empty();
  if (counted && calls_[client] >= per_client_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(per_client_, " ", what_, " already; try again when one has ended"));
  }
  if (free_ == 0 && may_wait_ == 0) {
    if (counted && calls_[client] == 0) calls_.erase(client);
    return absl::ResourceExhaustedError("the server is at its limit of calls; try again in a few seconds");
  }
  if (counted) ++calls_[client];
  if (free_ == 0) {
    --may_wait_;
    const bool free = left_.wait(lock, stop, [this] { return free_ > 0; });
    ++may_wait_;
    if (!free) {
      Forget(client);
      return absl::CancelledError("the call ended while it was waiting for its turn");
    }
  }
  --free_;
  return Pass(this, client);
}

void Limiter::Forget(const std::string& client) {
  const auto found = calls_.find(client);
  if (found != calls_.end() && --found->second <= 0) calls_.erase(found);
}

void Limiter::Leave(const std::string& client) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++free_;
    Forget(client);
  }
  left_.notify_one();
}

}  // namespace rewrought::rpc
