// Ends a run when its time or memory is used up, or when a stop is requested.
#ifndef REWROUGHT_PIPELINE_RUN_BUDGET_H_
#define REWROUGHT_PIPELINE_RUN_BUDGET_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace rewrought::pipeline {

// Return the current and the peak resident memory of this process in bytes, or 0 if it is unknown.
uint64_t ResidentBytes();
uint64_t PeakResidentBytes();

struct RunLimits {
  double seconds = 0;         // the time limit, on the monotonic clock; 0 means no limit
  uint64_t memory_bytes = 0;  // the limit on resident memory; 0 means no limit
  bool only_between = false;  // if true, the time and memory limits do not stop work that has begun
};

// Checks the limits of a run every 20 ms on its own thread.
class RunBudget {
 public:
  using Clock = std::chrono::steady_clock;
  // Returns the time `seconds` from now, but at most the clock's maximum.
  static Clock::time_point After(double seconds);

  RunBudget(const RunLimits& limits, std::stop_token stop);
  ~RunBudget();

  // Returns the token through which the budget stops work in progress.
  std::stop_token token() const { return source_.get_token(); }
  // Checks the limits and returns whether one of them is reached, in which case no new work may begin.
  bool spent();
  // Returns the time at which the fraction `part` of the remaining time will have passed, or the clock's maximum if
  // there is no time limit.
  Clock::time_point UntilPart(double part) const;
  // Returns "time", "memory", or "stopped", or "" if no limit was reached.
  std::string why() const;

 private:
  void Watch();
  bool Check();  // the caller must hold mutex_

  const RunLimits limits_;
  const std::stop_token outer_;
  const Clock::time_point deadline_;
  std::stop_source source_;
  mutable std::mutex mutex_;
  std::condition_variable closed_;
  bool closing_ = false;
  std::string why_;
  std::thread watcher_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_RUN_BUDGET_H_
