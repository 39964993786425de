#include "verifier/worker/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "proto/address_space.h"

namespace rewrought::verifier {
namespace {

using std::chrono::milliseconds;

IoLimits Within(int milliseconds_from_now) { return {Clock::now() + milliseconds(milliseconds_from_now), {}}; }

std::string Shell(const std::string& script, uint64_t memory_bytes = 0) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  absl::StatusOr<ChildProcess> child =
      ChildProcess::Start({"/bin/sh", {"-c", script}, -1, writing.get(), -1, memory_bytes});
  EXPECT_TRUE(child.ok()) << child.status();
  writing.Close();
  std::string output;
  EXPECT_EQ(ReceiveAll(reading.get(), 1 << 20, Within(10'000), output), IoResult::kDone);
  return output;
}

TEST(ChildProcess, TellsHowItEnded) {
  const auto run = [](const char* script) {
    return ChildProcess::Start({"/bin/sh", {"-c", script}})->Finish(milliseconds(5000));
  };
  EXPECT_TRUE(run("exit 0").clean);
  EXPECT_EQ(run("exit 3").text, "exit 3");
  EXPECT_FALSE(run("exit 3").clean);
  EXPECT_EQ(run("kill -SEGV $$").text, "signal 11");
}

TEST(ChildProcess, KillEndsASleeper) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start({"/bin/sleep", {"100"}});
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(child->running());
  EXPECT_EQ(child->Kill().text, "signal 9");
  EXPECT_FALSE(child->running());
}

TEST(ChildProcess, MissingProgramIsAnError) {
  const absl::StatusOr<ChildProcess> child = ChildProcess::Start({"/nowhere/at/all", {}});
  EXPECT_EQ(child.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie process remains";
}

TEST(ChildProcess, GetsNoOtherDescriptors) {
  const FileDescriptor leaky(open("/dev/null", O_RDONLY));  // not close-on-exec
  const FileDescriptor high(fcntl(leaky.get(), F_DUPFD, 200));
  ASSERT_EQ(high.get(), 200);
  EXPECT_EQ(Shell("cd /proc/$$/fd && echo *"), "0 1 2 3\n");  // 3 is the directory that the shell reads
}

TEST(ChildProcess, LimitsAddressSpace) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  EXPECT_EQ(Shell("ulimit -v", uint64_t{300} << 20), "307200\n");
}

TEST(ChildProcess, LeavesNoCoreAndLeadsItsGroup) {
  EXPECT_EQ(Shell("ulimit -c"), "0\n");
  EXPECT_EQ(Shell("test $(ps -o pgid= $$) = $$ && echo own"), "own\n");
}

TEST(ChildProcess, NicenessIsAddedToOurs) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start({"/bin/sleep", {"100"}});
  ASSERT_TRUE(child.ok());
  ProcessSpec spec = {"/bin/sleep", {"100"}};
  spec.niceness = 3;
  absl::StatusOr<ChildProcess> nicer = ChildProcess::Start(spec);
  ASSERT_TRUE(nicer.ok());
  const int ours = getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(child->pid())), ours);
  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(nicer->pid())), std::min(19, ours + 3));
}

TEST(ChildProcess, CpuLimitKills) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start({"/bin/sh", {"-c", "while :; do :; done"}});
  ASSERT_TRUE(child.ok());
  child->LimitCpu(10);
  EXPECT_EQ(child->Finish(milliseconds(20'000)).text, "signal 24");
}

TEST(ChildProcess, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    absl::StatusOr<ChildProcess> child = ChildProcess::Start({"/bin/sleep", {"100"}});
    const pid_t pid = child.ok() ? child->pid() : -1;
    if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    for (;;) pause();
  }
  pid_t grandchild = -1;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof(grandchild)), static_cast<ssize_t>(sizeof(grandchild)));
  ASSERT_GT(grandchild, 0);
  ASSERT_EQ(kill(grandchild, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // The process must be gone or an unreaped zombie; any other state means that it is still alive.
  const std::string state = "ps -o state= " + std::to_string(grandchild) + " | grep -v Z";
  std::string seen = "?";
  for (int i = 0; i < 100 && !seen.empty(); ++i) {
    seen = Shell(state);
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(seen, "");
}

TEST(Transfer, ClosedPeerIsNoSignal) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  theirs.Close();
  EXPECT_EQ(SendAll(ours.get(), "x", Within(1000)), IoResult::kClosed);
  std::string bytes;
  EXPECT_EQ(ReceiveExactly(ours.get(), 1, Within(1000), bytes), IoResult::kClosed);
}

TEST(Transfer, DeadlineAndCancellationEndIt) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  std::string bytes;
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(ReceiveExactly(ours.get(), 1, Within(100), bytes), IoResult::kDeadline);
  EXPECT_EQ(SendAll(ours.get(), std::string(64 << 20, 'x'), Within(100)), IoResult::kDeadline);
  std::stop_source source;
  std::jthread stopper([&source] {
    std::this_thread::sleep_for(milliseconds(100));
    source.request_stop();
  });
  EXPECT_EQ(ReceiveExactly(ours.get(), 1, {Clock::now() + milliseconds(60'000), source.get_token()}, bytes),
            IoResult::kCancelled);
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
}

TEST(Transfer, ReceiveAllIsBounded) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  ASSERT_EQ(SendAll(theirs.get(), "12345", Within(1000)), IoResult::kDone);
  theirs.Close();
  std::string bytes;
  EXPECT_EQ(ReceiveAll(ours.get(), 4, Within(1000), bytes), IoResult::kClosed);
}

}  // namespace
}  // namespace rewrought::verifier
