// When a run has to end: its time, its memory, or because somebody said so.
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

// Resident bytes of this process now and at their peak; 0 where the system does not say.
uint64_t ResidentBytes();
uint64_t PeakResidentBytes();

struct RunLimits {
  double seconds = 0;         // that pass, whatever the time of day is set to; 0: none
  uint64_t memory_bytes = 0;  // resident; 0: none
  bool only_between = false;  // time and memory do not stop work that has begun
};

// Watches the limits from a thread of its own.
class RunBudget {
 public:
  using Clock = std::chrono::steady_clock;
  // The time in `seconds` from now; never if that is further than the clock goes.
  static Clock::time_point After(double seconds);

  RunBudget(const RunLimits& limits, std::stop_token stop);
  ~RunBudget();

  // Stops work that has begun.
  std::stop_token token() const { return source_.get_token(); }
  // Whether new work may begin.
  bool spent();
  // The end of that part of the time that is left; never where time is not limited.
  Clock::time_point UntilPart(double part) const;
  // "time", "memory", "stopped"; empty: nothing was reached.
  std::string why() const;

 private:
  void Watch();
  bool Check();  // mutex_ is held

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
