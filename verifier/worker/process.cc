#include "verifier/worker/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/address_space.h"

namespace rewrought::verifier {
namespace {

constexpr std::chrono::milliseconds kPollSlice(50);

constexpr int kErrorPipe = 3;  // the child's descriptor for ChildPlan::told

// The data that the child needs between vfork and exec, prepared in advance because the child must not allocate memory.
struct ChildPlan {
  const char* path = nullptr;
  char** arguments = nullptr;
  int descriptors[3] = {-1, -1, -1};
  uint64_t memory_bytes = 0;
  int niceness = 0;
  pid_t parent = 0;
  sigset_t signal_mask = {};
  int told = -1;  // receives errno of a failed exec; closed by a successful exec
};

void SetLimit(int resource, rlim_t value) {
  rlimit limit = {};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(value, limit.rlim_max);
  limit.rlim_max = limit.rlim_cur;
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Resets all signal handlers, because none of this process's handlers may run in the child.
void ResetSignalHandlers() {
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) {
    struct sigaction action = {};
    if (sigaction(signal_number, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(signal_number, &action, nullptr);
  }
}

// Runs in the child. Returns only on failure, with errno set.
void BecomeChild(ChildPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(1);  // the parent died before prctl
  setpgid(0, 0);
  ResetSignalHandlers();
  for (int target = 0; target < 3; ++target) {
    if (dup2(plan.descriptors[target], target) < 0) return;
  }
  // The child cannot report errors through shared memory, because the thread sanitizer turns vfork into fork.
  if (plan.told != kErrorPipe && dup3(plan.told, kErrorPipe, O_CLOEXEC) < 0) return;
  plan.told = kErrorPipe;
  syscall(SYS_close_range, kErrorPipe + 1u, ~0u, 0u);
  SetLimit(RLIMIT_CORE, 0);
  if (plan.niceness > 0) (void)!nice(plan.niceness);
  if (proto::kLimitsAddressSpace && plan.memory_bytes > 0) SetLimit(RLIMIT_AS, plan.memory_bytes);
  sigprocmask(SIG_SETMASK, &plan.signal_mask, nullptr);
  execv(plan.path, plan.arguments);
}

// Duplicates `fd` to a descriptor above 2, so that the child's three dup2 calls cannot overwrite each other's source.
FileDescriptor Duplicate(int fd) { return FileDescriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

ProcessEnd Describe(int status) {
  if (WIFSIGNALED(status)) return {false, absl::StrCat("signal ", WTERMSIG(status))};
  return {WEXITSTATUS(status) == 0, absl::StrCat("exit ", WEXITSTATUS(status))};
}

// Waits until `fd` is ready for `events`. kDone means that `fd` is ready, or that it is broken and the next call will
// fail.
IoResult WaitFor(int fd, short events, const IoLimits& limits) {
  for (;;) {
    if (limits.cancel.stop_requested() || limits.cancel_all.stop_requested()) return IoResult::kCancelled;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limits.deadline - Clock::now());
    if (left.count() <= 0) return IoResult::kDeadline;
    pollfd waited = {fd, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(std::min(left, kPollSlice).count()));
    if (ready > 0) return IoResult::kDone;
    if (ready < 0 && errno != EINTR) return IoResult::kClosed;
  }
}

// Appends at most `max_bytes` available bytes. kDone with `received` 0 means that the other side closed the connection.
IoResult ReceiveSome(int fd, size_t max_bytes, const IoLimits& limits, std::string& bytes, size_t& received) {
  constexpr size_t kChunk = 1 << 16;
  for (;;) {
    const IoResult ready = WaitFor(fd, POLLIN, limits);
    if (ready != IoResult::kDone) return ready;
    const size_t before = bytes.size();
    const size_t wanted = std::min(max_bytes, kChunk);
    bytes.resize(before + wanted);
    const ssize_t count = read(fd, bytes.data() + before, wanted);
    bytes.resize(before + std::max<ssize_t>(count, 0));
    if (count >= 0) {
      received = static_cast<size_t>(count);
      return IoResult::kDone;
    }
    if (errno == ECONNRESET) {
      received = 0;
      return IoResult::kDone;
    }
    if (errno != EAGAIN && errno != EINTR) return IoResult::kClosed;
  }
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = other.Release();
  }
  return *this;
}

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

int FileDescriptor::Release() { return std::exchange(fd_, -1); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    Kill();
    pid_ = std::exchange(other.pid_, -1);
  }
  return *this;
}

absl::StatusOr<ChildProcess> ChildProcess::Start(const ProcessSpec& spec) {
  const FileDescriptor null_device(open("/dev/null", O_RDWR | O_CLOEXEC));
  ChildPlan plan;
  std::vector<FileDescriptor> sources;
  for (const int wanted : {spec.standard_input, spec.standard_output, spec.standard_error}) {
    sources.push_back(Duplicate(wanted >= 0 ? wanted : null_device.get()));
    if (sources.back().get() < 0) return absl::ResourceExhaustedError("no file descriptor left");
    plan.descriptors[sources.size() - 1] = sources.back().get();
  }
  std::vector<std::string> words = spec.arguments;
  words.insert(words.begin(), spec.path);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  plan.path = spec.path.c_str();
  plan.arguments = arguments.data();
  plan.memory_bytes = spec.memory_bytes;
  plan.niceness = spec.niceness;
  plan.parent = getpid();
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ResourceExhaustedError("no file descriptor left");
  const FileDescriptor heard(ends[0]);
  FileDescriptor end(ends[1]), told = Duplicate(end.get());
  if (told.get() < 0) return absl::ResourceExhaustedError("no file descriptor left");
  plan.told = told.get();

  // Block all signals while the child shares this process's memory.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &plan.signal_mask);
  const pid_t pid = vfork();
  if (pid == 0) {
    BecomeChild(plan);
    const int error = errno;
    (void)!write(plan.told, &error, sizeof error);  // a pipe always has room for an int
    _exit(127);
  }
  const int vfork_error = errno;
  pthread_sigmask(SIG_SETMASK, &plan.signal_mask, nullptr);
  if (pid < 0) return absl::ResourceExhaustedError(absl::StrCat("cannot start a process: ", strerror(vfork_error)));
  ChildProcess child(pid);
  end.Close();
  told.Close();
  int error = 0;
  ssize_t count = 0;
  do {
    count = read(heard.get(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof error) return absl::NotFoundError(absl::StrCat("cannot run ", spec.path, ": ", strerror(error)));
  return child;
}

void ChildProcess::LimitCpu(uint64_t milliseconds) {
  clockid_t clock = {};
  timespec used = {};
  if (!running() || clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  rlimit limit = {};
  if (prlimit(pid_, RLIMIT_CPU, nullptr, &limit) != 0) return;
  // Set only the soft limit, because a hard limit could not be raised again for the next query.
  limit.rlim_cur = std::min<rlim_t>(used.tv_sec + 1 + (milliseconds + 999) / 1000, limit.rlim_max);
  prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

ProcessEnd ChildProcess::Kill() { return Finish(std::chrono::milliseconds(0)); }

ProcessEnd ChildProcess::Finish(std::chrono::milliseconds patience) {
  if (!running()) return {false, "not running"};
  const pid_t pid = std::exchange(pid_, -1);
  const Clock::time_point deadline = Clock::now() + patience;
  int status = 0;
  for (;;) {
    const pid_t reaped = waitpid(pid, &status, WNOHANG);
    if (reaped == pid) return Describe(status);
    if (reaped < 0 && errno != EINTR) return {false, "status unknown"};
    if (Clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return {false, "status unknown"};
  }
  return Describe(status);
}

IoResult SendAll(int socket, absl::string_view bytes, const IoLimits& limits) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return IoResult::kClosed;
    const IoResult ready = WaitFor(socket, POLLOUT, limits);
    if (ready != IoResult::kDone) return ready;
  }
  return IoResult::kDone;
}

IoResult ReceiveExactly(int fd, size_t size, const IoLimits& limits, std::string& bytes) {
  bytes.clear();
  while (bytes.size() < size) {
    size_t received = 0;
    const IoResult result = ReceiveSome(fd, size - bytes.size(), limits, bytes, received);
    if (result != IoResult::kDone) return result;
    if (received == 0) return IoResult::kClosed;
  }
  return IoResult::kDone;
}

IoResult ReceiveAll(int fd, size_t max_bytes, const IoLimits& limits, std::string& bytes) {
  bytes.clear();
  for (;;) {
    size_t received = 0;
    const IoResult result = ReceiveSome(fd, max_bytes + 1, limits, bytes, received);
    if (result != IoResult::kDone || received == 0) return result;
    if (bytes.size() > max_bytes) return IoResult::kClosed;
  }
}

}  // namespace rewrought::verifier
