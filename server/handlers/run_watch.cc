#include "server/handlers/run_watch.h"

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rewrought::rpc {
namespace {

// The maximum delay before a watcher sees a change that another process made.
constexpr absl::Duration kLookAgain = absl::Milliseconds(500);

bool Same(const absl::StatusOr<v1::Run>& one, const absl::StatusOr<v1::Run>& other) {
  if (!one.ok() || !other.ok()) return one.status() == other.status();
  return one->SerializeAsString() == other->SerializeAsString();
}

}  // namespace

RunWatch::RunWatch(RunQueue* runs, Read read)
    : runs_(runs), read_(std::move(read)), thread_([this](std::stop_token stop) { Look(stop); }) {}

RunWatch::Watcher::Watcher(RunWatch* watch, std::string id, std::function<void()> wake)
    : watch_(watch), id_(std::move(id)), wake_(std::move(wake)) {
  {
    const std::lock_guard<std::mutex> lock(watch_->mutex_);
    if (watch_->seen_.empty()) watch_->first_.notify_all();
    watch_->seen_[id_].watchers.emplace(this, wake_);
  }
  watch_->LookAt(id_);
}

RunWatch::Watcher::~Watcher() {
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  const auto found = watch_->seen_.find(id_);
  found->second.watchers.erase(this);
  if (found->second.watchers.empty()) watch_->seen_.erase(found);
}

absl::StatusOr<bool> RunWatch::Watcher::Changed(v1::Run* run) {
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  const Seen& seen = watch_->seen_.find(id_)->second;
  if (seen.version == seen_) return false;
  seen_ = seen.version;
  if (!seen.run.ok()) return seen.run.status();
  *run = *seen.run;
  return true;
}

void RunWatch::LookAt(const std::string& id) {
  absl::StatusOr<v1::Run> run = read_(id);
  std::vector<std::function<void()>> woken;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = seen_.find(id);
    if (found == seen_.end() || (found->second.version > 0 && Same(found->second.run, run))) return;
    ++found->second.version;
    found->second.run = std::move(run);
    for (const auto& [watcher, wake] : found->second.watchers) woken.push_back(wake);
  }
  for (const std::function<void()>& wake : woken) wake();
}

void RunWatch::Look(std::stop_token stop) {
  while (!stop.stop_requested()) {
    std::vector<std::string> ids;
    const uint64_t changes = runs_ != nullptr ? runs_->changes() : 0;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!first_.wait(lock, stop, [this] { return !seen_.empty(); })) return;
      for (const auto& [id, seen] : seen_) ids.push_back(id);
    }
    for (const std::string& id : ids) {
      if (!stop.stop_requested()) LookAt(id);
    }
    if (runs_ != nullptr) {
      runs_->WaitForChange(changes, stop, kLookAgain);
    } else {
      absl::SleepFor(kLookAgain);
    }
  }
}

}  // namespace rewrought::rpc
