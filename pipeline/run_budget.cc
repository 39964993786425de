#include "pipeline/run_budget.h"

#include <fstream>
#include <utility>

namespace rewrought::pipeline {
namespace {

// Reads a line such as "VmRSS: 1234 kB" from /proc/self/status and returns the number in bytes.
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

RunBudget::Clock::time_point RunBudget::After(double seconds) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> wanted(seconds);
  if (wanted >= Clock::time_point::max() - now) return Clock::time_point::max();
  return now + std::chrono::duration_cast<Clock::duration>(wanted);
}

RunBudget::RunBudget(const RunLimits& limits, std::stop_token stop)
    : limits_(limits),
      outer_(std::move(stop)),
      deadline_(limits.seconds > 0 ? After(limits.seconds) : Clock::time_point::max()),
      watcher_([this] { Watch(); }) {}

RunBudget::~RunBudget() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    closed_.notify_all();
  }
  watcher_.join();
}

bool RunBudget::Check() {
  if (why_.empty() && outer_.stop_requested()) why_ = "stopped";
  if (why_.empty() && Clock::now() >= deadline_) why_ = "time";
  if (why_.empty() && limits_.memory_bytes > 0 && ResidentBytes() > limits_.memory_bytes) why_ = "memory";
  if (why_.empty()) return false;
  if (why_ == "stopped" || !limits_.only_between) source_.request_stop();
  return true;
}

void RunBudget::Watch() {
  // Do not use absl::Mutex, which waits on the wall clock, because this clock may be set back.
  std::unique_lock<std::mutex> lock(mutex_);
  while (!closed_.wait_for(lock, std::chrono::milliseconds(20), [this] { return closing_; })) Check();
}

RunBudget::Clock::time_point RunBudget::UntilPart(double part) const {
  if (limits_.seconds <= 0) return Clock::time_point::max();
  return After(std::chrono::duration<double>(deadline_ - Clock::now()).count() * part);
}

bool RunBudget::spent() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Check();
}

std::string RunBudget::why() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return why_;
}

}  // namespace rewrought::pipeline
