// Measures the time of a benchmark's search: the median elapsed and CPU times of several runs.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_

#include "absl/functional/function_ref.h"

namespace rewrought::peers {

// Elapsed seconds, and CPU seconds of this process and its solvers, including terminated solvers.
struct Times {
  double seconds = 0, processor_seconds = 0;
};

// Returns the medians over `times` runs; `times` is at least 1.
Times MedianTimes(int times, absl::FunctionRef<void()> run);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_
