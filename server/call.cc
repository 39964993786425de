#include "server/call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/work_pool.h"

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
    const auto tick = std::chrono::steady_clock::now();
    for (Call* call : calls_) {
      if (now >= call->deadline_) call->source_.request_stop();
      if (tick < call->taken_by_.load()) continue;
      call->Sending(false);
      call->context_->TryCancel();
    }
    changed_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

Call::Call(CallWatcher* watcher, Limiter* limiter, std::string client, absl::Duration write,
           grpc::ServerContextBase* context)
    : watcher_(watcher),
      limiter_(limiter),
      client_(std::move(client)),
      write_(absl::ToChronoNanoseconds(write)),
      context_(context),
      client_deadline_(absl::FromChrono(context->deadline())),
      deadline_(client_deadline_) {
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  if (watcher_->calls_.empty()) watcher_->changed_.notify_one();
  place_ = watcher_->calls_.insert(watcher_->calls_.end(), this);
  if (watcher_->stopped_) source_.request_stop();
}

Call::~Call() {
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  watcher_->calls_.erase(place_);
}

void Call::Cancel() {
  cancelled_ = true;
  source_.request_stop();
}

void Call::Sending(bool now) {
  taken_by_ = now ? std::chrono::steady_clock::now() + write_ : std::chrono::steady_clock::time_point::max();
}

void Call::LimitTo(absl::Duration limit) {
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  deadline_ = std::min(deadline_, absl::Now() + limit);
}

absl::StatusOr<Limiter::Pass> Call::Compute(absl::Duration limit) {
  LimitTo(limit);
  WorkPool::StepAside();  // from here on, the limiter bounds the work
  absl::StatusOr<Limiter::Pass> pass = limiter_->Enter(stop(), client_);
  if (pass.ok() || !absl::IsCancelled(pass.status())) return pass;
  if (absl::Status why = ended(); !why.ok()) return why;
  return absl::ResourceExhaustedError(
      "the call's time limit expired while the call was waiting; try again in a few seconds");
}

absl::Duration Call::remaining() const { return std::max(absl::ZeroDuration(), deadline_ - absl::Now()); }

absl::Status Call::ended() const {
  if (absl::Now() >= client_deadline_) return absl::DeadlineExceededError("the call's deadline has passed");
  if (cancelled_) return absl::CancelledError("the client has cancelled the call");
  const std::lock_guard<std::mutex> lock(watcher_->mutex_);
  return watcher_->stopped_ ? absl::UnavailableError("the server is shutting down; try again later") : absl::OkStatus();
}

absl::Status Call::Stopped(absl::string_view remedy) const {
  const absl::Status why = ended();
  return why.ok() ? absl::DeadlineExceededError(absl::StrCat("the service's time limit expired; ", remedy)) : why;
}

}  // namespace rewrought::rpc
