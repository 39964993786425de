// How long a search of the benchmark takes: the median of several runs, by the clock and by processors.
#ifndef REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_
#define REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_

#include "absl/functional/function_ref.h"

namespace rewrought::peers {

// Seconds by the clock, and of processors: this process's and its solvers', those that ended too.
struct Times {
  double seconds = 0, processor_seconds = 0;
};

// The median of each over `times` runs, at least one.
Times MedianTimes(int times, absl::FunctionRef<void()> run);

}  // namespace rewrought::peers

#endif  // REWROUGHT_TESTS_BENCHMARK_PEERS_TIMING_H_
