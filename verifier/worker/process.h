// A child process with its own process group and resource limits, which dies with its parent. Its functions never throw
// and never block forever. Intended only for solver processes on Linux: it uses a vfork whose child makes only system
// calls before exec.
#ifndef REWROUGHT_VERIFIER_WORKER_PROCESS_H_
#define REWROUGHT_VERIFIER_WORKER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rewrought::verifier {

using Clock = std::chrono::steady_clock;

// Owns a file descriptor and closes it; -1 means none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  void Close();

 private:
  int Release();

  int fd_ = -1;
};

struct ProcessSpec {
  std::string path;                    // of the executable, used unchanged
  std::vector<std::string> arguments;  // without the program's name
  int standard_input = -1;             // descriptors that become the child's; -1 for /dev/null
  int standard_output = -1;
  int standard_error = -1;
  uint64_t memory_bytes = 0;  // RLIMIT_AS; 0 to inherit the parent's limit
  int niceness = 0;           // relative to the parent
};

// Describes how a process ended, for use in messages: "signal 9", "exit 3", or "status unknown" if another thread
// reaped it.
struct ProcessEnd {
  bool clean = false;  // the exit status is 0
  std::string text;
};

class ChildProcess {
 public:
  // Starts the process. The process inherits no descriptors except the three of ProcessSpec, and it has default signal
  // handlers. It has its own process group, so Ctrl-C in the terminal reaches only the parent, and it writes no core
  // file. It gets SIGKILL when the *thread* that called Start ends, so call Start on a thread that outlives the
  // process. Fails with NotFound if the file cannot be executed, and with ResourceExhausted if no process can be
  // created.
  static absl::StatusOr<ChildProcess> Start(const ProcessSpec& spec);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { Kill(); }

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  // Makes the kernel kill the process (RLIMIT_CPU) after `milliseconds` more of CPU time, rounded up to seconds.
  void LimitCpu(uint64_t milliseconds);

  // Kills (SIGKILL) and reaps the process; returns how it ended.
  ProcessEnd Kill();

  // Waits up to `patience` for the process to exit, then kills it; returns how it ended.
  ProcessEnd Finish(std::chrono::milliseconds patience);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;
};

enum class IoResult : uint8_t { kDone, kClosed, kDeadline, kCancelled };

// Limits of a transfer, checked at least every 50 ms.
struct IoLimits {
  Clock::time_point deadline;
  std::stop_token cancel;           // cancels a single query
  std::stop_token cancel_all = {};  // cancels all queries of the pool
};

// Sends all of `bytes` over a socket, without raising SIGPIPE.
IoResult SendAll(int socket, absl::string_view bytes, const IoLimits& limits);

// Reads exactly `size` bytes from a socket or pipe into `bytes`, replacing its contents.
IoResult ReceiveExactly(int fd, size_t size, const IoLimits& limits, std::string& bytes);

// Reads from a socket or pipe until the other side closes it (kDone) or more than `max_bytes` arrive (kClosed).
IoResult ReceiveAll(int fd, size_t max_bytes, const IoLimits& limits, std::string& bytes);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_PROCESS_H_
