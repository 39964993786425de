// A child process in its own process group with resource limits that dies with its parent; never throws, never blocks
// for ever. For the solver processes only: Linux, and a vfork whose child does nothing but system calls before exec.
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

// Owns a file descriptor; closes it. -1 owns nothing.
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
  std::string path;                    // of the executable, used as it is
  std::vector<std::string> arguments;  // without the program's name
  int standard_input = -1;             // descriptors of this process that become the child's; -1: /dev/null
  int standard_output = -1;
  int standard_error = -1;
  uint64_t memory_bytes = 0;  // RLIMIT_AS; 0: as the parent
  int niceness = 0;           // added to the parent's
};

// How a process ended, for a reason's text: "signal 9", "exit 3", or "status unknown" if somebody else reaped it.
struct ProcessEnd {
  bool clean = false;  // exit 0
  std::string text;
};

class ChildProcess {
 public:
  // Starts the process. It gets no other descriptor than the three, default signal handlers, an own process group (a
  // Ctrl-C at the terminal is the parent's to handle), no core file, and SIGKILL when the *thread* that calls Start
  // ends: call it on a thread that outlives the process. Errors: NotFound (cannot be executed), ResourceExhausted (no
  // process).
  static absl::StatusOr<ChildProcess> Start(const ProcessSpec& spec);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  // Kills and reaps.
  ~ChildProcess() { Kill(); }

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  // Sets the CPU time after which the kernel kills the process (RLIMIT_CPU) to what it has used so far plus
  // `milliseconds`, rounded up to seconds.
  void LimitCpu(uint64_t milliseconds);

  // Kills (SIGKILL) and reaps. Returns how it ended.
  ProcessEnd Kill();

  // Waits up to `patience` for the process to end by itself, then kills it. Returns how it ended.
  ProcessEnd Finish(std::chrono::milliseconds patience);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;
};

// What ended a transfer over a socket or pipe.
enum class IoResult : uint8_t { kDone, kClosed, kDeadline, kCancelled };

// Limits of a transfer: checked at least every 50 ms.
struct IoLimits {
  Clock::time_point deadline;
  std::stop_token cancel;           // of one query
  std::stop_token cancel_all = {};  // of the whole pool
};

// Sends all of `bytes` over a socket. Raises no SIGPIPE.
IoResult SendAll(int socket, absl::string_view bytes, const IoLimits& limits);

// Reads exactly `size` bytes into `bytes` (replacing it) from a socket or pipe.
IoResult ReceiveExactly(int fd, size_t size, const IoLimits& limits, std::string& bytes);

// Reads until the other side closes (kDone) or `max_bytes` are exceeded (kClosed) from a socket or pipe.
IoResult ReceiveAll(int fd, size_t max_bytes, const IoLimits& limits, std::string& bytes);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_WORKER_PROCESS_H_
