#include "emitter/files/scratch_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace rewrought::emitter {
namespace {

namespace fs = std::filesystem;

std::string NewFolder() {
  std::string folder = testing::TempDir() + "/scratch_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

size_t Entries(const std::string& folder) {
  size_t entries = 0;
  for (auto place = fs::directory_iterator(folder); place != fs::directory_iterator(); ++place) ++entries;
  return entries;
}

// Creates a folder with a file in a child process and kills the process.
void AbandonFolder(const std::string& parent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ScratchFolder scratch(parent, "work-");
    std::ofstream(scratch.path() + "/file") << "half";
    if (write(ends[1], "+", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(ScratchFolder, RemovesItsContents) {
  const std::string parent = NewFolder();
  {
    const ScratchFolder scratch(parent, "work-");
    ASSERT_TRUE(scratch.made());
    fs::create_directories(scratch.path() + "/a/b");
    EXPECT_EQ(Entries(parent), 1u);
  }
  EXPECT_EQ(Entries(parent), 0u);
  EXPECT_FALSE(ScratchFolder(parent + "/none", "work-").made());
}

TEST(ScratchFolder, OnlyAbandonedFoldersAreRemoved) {
  const std::string parent = NewFolder();
  const ScratchFolder living(parent, "work-");
  AbandonFolder(parent);
  fs::create_directory(parent + "/other-1");
  std::ofstream(parent + "/work-file") << "x";
  fs::create_directory_symlink(parent + "/other-1", parent + "/work-link");
  EXPECT_EQ(Entries(parent), 5u);
  EXPECT_EQ(ScratchFolder::RemoveLeftovers(parent, "work-"), 1);
  EXPECT_EQ(Entries(parent), 4u);
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(parent + "/other-1"));
  AbandonFolder(parent);
  const ScratchFolder next(parent, "work-");
  EXPECT_EQ(Entries(parent), 5u) << "a new folder removes abandoned folders";
}

TEST(ScratchFolder, ManyAtOnceLeaveEachOtherAlone) {
  const std::string parent = NewFolder();
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        const ScratchFolder scratch(parent, "work-");
        lost += !scratch.made() || !fs::exists(scratch.path());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(Entries(parent), 0u);
}

}  // namespace
}  // namespace rewrought::emitter
