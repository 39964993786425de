#include "corpus/glsl/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proto/address_space.h"

namespace rewrought::corpus {
namespace {

constexpr int kNoProgram = 127;

void SetLimits(const ProcessLimits& limits) {
  const auto limit = [](__rlimit_resource_t resource, uint64_t value) {
    const rlimit both = {value, value};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CPU, static_cast<uint64_t>(std::ceil(limits.seconds)) + 1);
  if (proto::kLimitsAddressSpace) limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_CORE, 0);
}

// Runs in the child between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void BecomeProgram(char* const* arguments, int output, pid_t parent, const ProcessLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the kernel kills this process if the parent thread, which waits for it, ends
  if (getppid() != parent) _exit(kNoProgram);
  SetLimits(limits);
  const int empty = open("/dev/null", O_RDONLY);
  if (empty < 0 || dup2(empty, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(kNoProgram);
  execvp(arguments[0], arguments);
  _exit(kNoProgram);
}

// Reads the output until it ends. Returns false if the deadline passes first.
bool ReadOutput(int descriptor, const ProcessLimits& limits, std::string* output) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds);
  char buffer[4096];
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait = {descriptor, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<int64_t>(left.count(), 1000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
    if (count > 0 && output->size() < limits.output_bytes) output->append(buffer, static_cast<size_t>(count));
  }
}

ProcessResult Await(pid_t child, const int* ends, const ProcessLimits& limits) {
  close(ends[1]);
  ProcessResult result;
  result.timed_out = !ReadOutput(ends[0], limits, &result.output);
  close(ends[0]);
  if (result.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// Forks, and creates a pipe from the child to the parent. Returns the id of the child, or 0 in the child.
absl::StatusOr<pid_t> ForkWithPipe(int* ends) {
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::InternalError("cannot create a pipe");
  const pid_t child = fork();
  if (child >= 0) return child;
  close(ends[0]);
  close(ends[1]);
  return absl::InternalError("cannot fork");
}

}  // namespace

absl::StatusOr<ProcessResult> RunProcess(const std::vector<std::string>& arguments, const ProcessLimits& limits) {
  if (arguments.empty()) return absl::InternalError("no program specified");
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  const pid_t parent = getpid();
  const absl::StatusOr<pid_t> child = ForkWithPipe(ends);
  if (!child.ok()) return child.status();
  if (*child == 0) BecomeProgram(pointers.data(), ends[1], parent, limits);
  ProcessResult result = Await(*child, ends, limits);
  if (result.exit_code == kNoProgram && result.output.empty()) {
    return absl::NotFoundError(absl::StrCat("cannot run ", arguments[0]));
  }
  return result;
}

absl::StatusOr<ProcessResult> RunForked(const std::function<int(int)>& work, const ProcessLimits& limits) {
  int ends[2];
  const absl::StatusOr<pid_t> child = ForkWithPipe(ends);
  if (!child.ok()) return child.status();
  if (*child == 0) {
    SetLimits(limits);
    _exit(work(ends[1]));
  }
  return Await(*child, ends, limits);
}

}  // namespace rewrought::corpus
