// Ends a solver's work when this process has used its budget of processor time: what is decided then does not depend on
// what else the machine does.
#ifndef REWROUGHT_VERIFIER_WORKER_CPU_LIMIT_H_
#define REWROUGHT_VERIFIER_WORKER_CPU_LIMIT_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace rewrought::verifier {

// What all threads of this process have used so far, in milliseconds.
double ProcessorMilliseconds();

class CpuLimit {
 public:
  // Calls `spent` from another thread, once, when the process has used `milliseconds` more than now; not after End.
  CpuLimit(double milliseconds, std::function<void()> spent);
  ~CpuLimit() { End(); }
  // Stops watching; whether `spent` was called.
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
