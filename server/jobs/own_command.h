// Runs a command of this very program in a process of its own, so that it can be stopped at once and harm nobody.
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
  bool with_errors = false;            // whether what it says on standard error is output, too
  std::chrono::milliseconds limit{0};  // wall clock
  std::chrono::milliseconds cpu{0};    // 0: no limit
  uint64_t memory_bytes = 0;           // 0: no limit
  std::stop_token stop;
};

struct CommandEnd {
  std::string output;  // at most 4 MiB
  verifier::ProcessEnd process;
};

// To be called on a thread that outlives the process. Cancelled: `stop` was requested; DeadlineExceeded: the limit
// passed, or it said too much; Unavailable: it could not be started. In all three the process is gone.
absl::StatusOr<CommandEnd> Run(const OwnCommand& command);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_JOBS_OWN_COMMAND_H_
