#include "tests/benchmark/peers/timing.h"

#include <sys/resource.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

namespace rewrought::peers {
namespace {

double SecondsOf(clockid_t clock) {
  timespec time;
  return clock_gettime(clock, &time) == 0 ? static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9
                                          : 0;
}

// Returns the CPU seconds of this process and its solvers, including terminated solvers.
double ProcessorSeconds() {
  double seconds = SecondsOf(CLOCK_PROCESS_CPUTIME_ID);
  rusage ended;
  getrusage(RUSAGE_CHILDREN, &ended);
  for (const timeval& time : {ended.ru_utime, ended.ru_stime})
    seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream children(task.path() / "children");
    pid_t child = 0;
    while (children >> child) {
      clockid_t clock;
      if (clock_getcpuclockid(child, &clock) == 0) seconds += SecondsOf(clock);
    }
  }
  return seconds;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

Times MedianTimes(int times, absl::FunctionRef<void()> run) {
  std::vector<double> seconds, processor;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double before = ProcessorSeconds();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    processor.push_back(ProcessorSeconds() - before);
  }
  return {Median(std::move(seconds)), Median(std::move(processor))};
}

}  // namespace rewrought::peers
