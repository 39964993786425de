#include "verifier/worker/cpu_limit.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace rewrought::verifier {

double ProcessorMilliseconds() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

CpuLimit::CpuLimit(double milliseconds, std::function<void()> spent)
    : watch_(
          [this, until = ProcessorMilliseconds() + milliseconds, spent = std::move(spent)] { Watch(until, spent); }) {}

void CpuLimit::Watch(double until, const std::function<void()>& spent) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    const double left = until - ProcessorMilliseconds();
    if (left <= 0) break;
    // Only one thread works, so the remaining processor time takes at least that much wall time.
    const std::chrono::duration<double, std::milli> sleep(std::max(left, 1.0));
    if (changed_.wait_for(lock, sleep, [this] { return ended_; })) return;
  }
  reached_ = true;
  spent();
}

bool CpuLimit::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  if (watch_.joinable()) watch_.join();
  return reached_;
}

}  // namespace rewrought::verifier
