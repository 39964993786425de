// Interrupts a solver when this process has used up its budget of processor time, so that the outcome does not depend
// on the machine's load.
#ifndef REWROUGHT_VERIFIER_WORKER_CPU_LIMIT_H_
#define REWROUGHT_VERIFIER_WORKER_CPU_LIMIT_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace rewrought::verifier {

// Returns the processor time that all threads of this process have used.
double ProcessorMilliseconds();

class CpuLimit {
 public:
  // Calls `spent` once, from another thread, when the process has used another `milliseconds` of processor time. Never
  // calls it after End.
  CpuLimit(double milliseconds, std::function<void()> spent);
  ~CpuLimit() { End(); }
  // Stops watching; returns whether `spent` was called.
  bool End();
  CpuLimit(const CpuLimit&) = delete;
  CpuLimit& operator=(const CpuLimit&) = delete;

 private:
  void Watch(double until, const std::function<void()>& spent);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false, reached_ = false;
  std::thread watch_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_CPU_LIMIT_H_
