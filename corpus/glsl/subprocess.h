// Runs one program, or one function in a fork, with limits on time, memory and output.
#ifndef REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
#define REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::corpus {

struct ProcessLimits {
  double seconds = 20;                        // wall time, and CPU time rounded up
  uint64_t memory_bytes = uint64_t{2} << 30;  // address space
  uint64_t file_bytes = uint64_t{64} << 20;   // of any file that it writes
  size_t output_bytes = size_t{1} << 20;      // kept of its output; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = 0;  // -1 if a signal ended it
  bool timed_out = false;
  std::string output;  // standard output and error, in the order written
};

// Runs `arguments` (the program first, found in PATH) with empty standard input and waits for its end; a program that
// runs too long is killed. NotFound: there is no such program. Internal: it could not be started.
absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& arguments, const ProcessLimits& limits);

// Runs `work` in a fork of this process, which must have one thread only; `work` gets the descriptor whose bytes become
// the result's output, and returns the exit code. Otherwise as RunProcess.
absl::StatusOr<ProcessResult> RunForked(const std::function<int(int)>& work, const ProcessLimits& limits);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
