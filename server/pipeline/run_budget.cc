#include "server/pipeline/run_budget.h"

#include <fstream>

#include "absl/time/clock.h"

namespace rewrought::pipeline {
namespace {

// A line "VmRSS:     1234 kB" of this process's status.
uint64_t StatusBytes(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, wanted.size(), wanted) == 0)
      return std::stoull("0" + line.substr(line.find_first_of("0123456789"))) * 1024;
  }
  return 0;
}

}  // namespace

uint64_t ResidentBytes() { return StatusBytes("VmRSS:"); }
uint64_t PeakResidentBytes() { return StatusBytes("VmHWM:"); }

RunBudget::RunBudget(const RunLimits& limits, std::stop_token stop)
    : limits_(limits),
      outer_(std::move(stop)),
      deadline_(limits.seconds > 0 ? absl::Now() + absl::Seconds(limits.seconds) : absl::InfiniteFuture()),
      watcher_([this] { Watch(); }) {}

RunBudget::~RunBudget() {
  {
    const absl::MutexLock lock(&mutex_);
    closing_ = true;
  }
  watcher_.join();
}

bool RunBudget::Check() {
  if (why_.empty() && outer_.stop_requested()) why_ = "stopped";
  if (why_.empty() && absl::Now() >= deadline_) why_ = "time";
  if (why_.empty() && limits_.memory_bytes > 0 && ResidentBytes() > limits_.memory_bytes) why_ = "memory";
  if (why_.empty()) return false;
  if (why_ == "stopped" || !limits_.only_between) source_.request_stop();
  return true;
}

void RunBudget::Watch() {
  const absl::MutexLock lock(&mutex_);
  const auto closing = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return closing_; };
  while (!mutex_.AwaitWithTimeout(absl::Condition(&closing), absl::Milliseconds(20))) Check();
}

bool RunBudget::spent() {
  const absl::MutexLock lock(&mutex_);
  return Check();
}

std::string RunBudget::why() const {
  const absl::MutexLock lock(&mutex_);
  return why_;
}

}  // namespace rewrought::pipeline
