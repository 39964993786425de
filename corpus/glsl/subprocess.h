// Runs one program, or one function in a forked process, with limits on time, memory, and output.
#ifndef REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
#define REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::corpus {

struct ProcessLimits {
  double seconds = 20;                        // limit on wall-clock time, and, rounded up, on CPU time
  uint64_t memory_bytes = uint64_t{2} << 30;  // address space
  uint64_t file_bytes = uint64_t{64} << 20;   // maximum size of each file that it writes
  size_t output_bytes = size_t{1} << 20;      // maximum number of stored output bytes; the rest is read and dropped
};

struct ProcessResult {
  int exit_code = 0;  // -1 if a signal ended the process
  bool timed_out = false;
  std::string output;  // standard output and standard error, interleaved as they were written
};

// Runs a program with empty standard input and waits for it to end. `arguments` are the program, which is looked up in
// PATH, and its arguments. Kills the program if it exceeds the time limit. Fails with NotFound if the program does not
// exist, and with Internal if it cannot be started.
absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& arguments, const ProcessLimits& limits);

// Runs `work` in a fork of this process, which must be single-threaded. `work` writes its output to the descriptor that
// it receives, and returns the exit code. Otherwise, this function behaves like RunProcess.
absl::StatusOr<ProcessResult> RunForked(const std::function<int(int)>& work, const ProcessLimits& limits);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_GLSL_SUBPROCESS_H_
