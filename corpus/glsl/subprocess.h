// Runs one program, or one function in a forked process, with limits on time, memory and output.
#ifndef REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
#define REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::corpus {

struct ProcessLimits {
  double seconds = 20;                        // wall clock time, and CPU time rounded up
  uint64_t memory_bytes = uint64_t{2} << 30;  // address space
  uint64_t file_bytes = uint64_t{64} << 20;   // size of any file it writes
  size_t output_bytes = size_t{1} << 20;      // maximum stored output; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = 0;  // -1 if a signal ended the process
  bool timed_out = false;
  std::string output;  // standard output and error, in the order written
};

// Runs `arguments` (the program, found in PATH, and its arguments) with empty standard input, and waits for its end.
// Kills a program that exceeds the time limit. Fails with NotFound if the program does not exist, and with Internal
// if it cannot be started.
absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& arguments, const ProcessLimits& limits);

// Runs `work` in a fork of this process, which must be single-threaded. `work` writes the result's output to the
// descriptor and returns the exit code. Otherwise like RunProcess.
absl::StatusOr<ProcessResult> RunForked(const std::function<int(int)>& work, const ProcessLimits& limits);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
