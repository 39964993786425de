// Runs a command of this program in a separate process, so that the command can be stopped immediately and cannot harm
// the server.
#ifndef REWROUGHT_SERVER_JOBS_OWN_COMMAND_H_
#define REWROUGHT_SERVER_JOBS_OWN_COMMAND_H_

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/worker/process.h"

namespace rewrought::rpc {

struct OwnCommand {
  std::string program;  // path of `rewrought`
  std::vector<std::string> arguments;
  bool with_errors = false;            // whether the output includes standard error
  std::chrono::milliseconds limit{0};  // limit on wall-clock time
  std::chrono::milliseconds cpu{0};    // 0: no limit
  uint64_t memory_bytes = 0;           // 0: no limit
  std::stop_token stop;
};

struct CommandResult {
  std::string output;  // up to 4 MiB
  verifier::ProcessEnd process;
};

// Runs the command and waits for it. The calling thread must outlive the process. Fails with Cancelled if `stop` is
// requested, with DeadlineExceeded if the time limit is exceeded or the output is too long, and with Unavailable if the
// process could not be started. After an error, the process is no longer running.
absl::StatusOr<CommandResult> Run(const OwnCommand& command);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_OWN_COMMAND_H_
