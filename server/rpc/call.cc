#include "server/rpc/call.h"

#include <algorithm>
#include <chrono>

#include "absl/time/clock.h"

namespace rewrought::rpc {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(20);

}  // namespace

CallWatcher::CallWatcher() : thread_([this](std::stop_token stop) { Watch(stop); }) {}

CallWatcher::~CallWatcher() = default;

void CallWatcher::StopAll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  for (Call* call : calls_) call->source_.request_stop();
}

void CallWatcher::Watch(std::stop_token stop) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !calls_.empty(); })) {
    const absl::Time now = absl::Now();
    for (Call* call : calls_) {
      if (now >= call->deadline_ || call->context_->IsCancelled()) call->source_.request_stop();
    }
    changed_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

Call::Call(CallWatcher* watcher, grpc::ServerContext* context, absl::Duration limit)
    : watcher_(watcher), context_(context), client_deadline_(absl::FromChrono(context->deadline())) {
  deadline_ = std::min(client_deadline_, absl::Now() + limit);
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  place_ = watcher_->calls_.insert(watcher_->calls_.end(), this);
  if (watcher_->stopped_) source_.request_stop();
  watcher_->changed_.notify_one();
}

Call::~Call() {
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  watcher_->calls_.erase(place_);
}

absl::Duration Call::remaining() const { return std::max(absl::ZeroDuration(), deadline_ - absl::Now()); }

absl::Status Call::ended() const {
  if (absl::Now() >= client_deadline_) return absl::DeadlineExceededError("the call's deadline has passed");
  if (context_->IsCancelled()) return absl::CancelledError("the client has cancelled the call");
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  return watcher_->stopped_ ? absl::UnavailableError("the server is going down; try again") : absl::OkStatus();
}

}  // namespace rewrought::rpc
