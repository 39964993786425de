#include "corpus/glsl/lockdown.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace rewrought::corpus {
namespace {

constexpr int kDone = 42;

// Runs `work` under the filter in a child process. Returns the exit status of the child, or the negated number of the
// signal that ended it.
int EndOf(const std::function<void()>& work, Forks forks = Forks::kNo) {
  const pid_t child = fork();
  if (child == 0) {
    if (!LockDown(forks).ok()) _exit(1);
    work();
    _exit(kDone);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::string NewFile() {
  std::string path = testing::TempDir() + "/lockdown_XXXXXX";
  const int file = mkstemp(path.data());
  EXPECT_EQ(write(file, "text", 4), 4);
  close(file);
  return path;
}

TEST(LockDownTest, ReadingComputingAndThreadsGoOn) {
  const std::string path = NewFile();
  const int open_before = open(path.c_str(), O_RDWR);
  EXPECT_EQ(EndOf([&] {
              char bytes[4];
              const int file = open(path.c_str(), O_RDONLY);
              if (read(file, bytes, 4) != 4) _exit(2);
              int sum = 0;
              std::thread([&] { sum = 1; }).join();
              if (sum != 1 || write(open_before, "more", 4) != 4) _exit(3);
              if (unlink(path.c_str()) == 0 || errno != EPERM) _exit(4);
            }),
            kDone);
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
}

TEST(LockDownTest, WhatWritesByNameIsKilled) {
  const std::string path = NewFile(), other = path + ".new";
  EXPECT_EQ(EndOf([&] { open(path.c_str(), O_WRONLY); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { open(path.c_str(), O_RDWR); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { open(path.c_str(), O_RDONLY | O_TRUNC); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { open(other.c_str(), O_RDONLY | O_CREAT, 0600); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { rename(path.c_str(), other.c_str()); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { mkdir(other.c_str(), 0700); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { return symlink(path.c_str(), other.c_str()); }), -SIGSYS);
  EXPECT_EQ(EndOf([&] { chmod(path.c_str(), 0777); }), -SIGSYS);
  EXPECT_NE(access(other.c_str(), F_OK), 0);
}

TEST(LockDownTest, SocketsProgramsAndProcessesAreKilled) {
  EXPECT_EQ(EndOf([] { socket(AF_INET, SOCK_STREAM, 0); }), -SIGSYS);
  EXPECT_EQ(EndOf([] { socket(AF_UNIX, SOCK_STREAM, 0); }), -SIGSYS);
  const auto start = [] { execl("/bin/true", "true", nullptr); };
  EXPECT_EQ(EndOf(start), -SIGSYS);
  EXPECT_EQ(EndOf(start, Forks::kYes), -SIGSYS);
  const auto spawn = [] {
    pid_t child = 0;
    char* const arguments[] = {const_cast<char*>("true"), nullptr};
    if (posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, nullptr) == 0) waitpid(child, nullptr, 0);
  };
  EXPECT_EQ(EndOf(spawn), -SIGSYS);
  EXPECT_EQ(EndOf([] {
              if (fork() == 0) _exit(0);
            }),
            -SIGSYS);
}

TEST(LockDownTest, SignalsAreForItselfAlone) {
  EXPECT_EQ(EndOf([] {
              if (kill(getppid(), 0) == 0 || errno != EPERM) _exit(2);
              if (syscall(SYS_tgkill, getppid(), getppid(), 0) == 0 || errno != EPERM) _exit(3);
            }),
            kDone);
  EXPECT_EQ(EndOf([] { abort(); }), -SIGABRT);
}

TEST(LockDownTest, AForkIsLockedDownToo) {
  EXPECT_EQ(EndOf(
                [] {
                  const pid_t child = fork();
                  if (child == 0) {
                    socket(AF_INET, SOCK_STREAM, 0);
                    _exit(0);
                  }
                  int status = 0;
                  waitpid(child, &status, 0);
                  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS) _exit(2);
                },
                Forks::kYes),
            kDone);
}

TEST(LockDownTest, ThreadsThatRunAlreadyAreHeldToIt) {
  EXPECT_EQ(EndOf([] {}), kDone);
  const pid_t child = fork();
  if (child == 0) {
    int ends[2];
    if (pipe(ends) != 0) _exit(2);
    std::thread other([&] {
      char byte = 0;
      if (read(ends[0], &byte, 1) == 1) socket(AF_INET, SOCK_STREAM, 0);
    });
    if (!LockDown(Forks::kNo).ok() || write(ends[1], "x", 1) != 1) _exit(3);
    other.join();
    _exit(kDone);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

}  // namespace
}  // namespace rewrought::corpus
