#include "store/database_lock.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

namespace fs = std::filesystem;

constexpr DatabaseLock::Slots kAll;

absl::StatusCode CodeOf(const std::string& path, absl::string_view name = "one",
                        const DatabaseLock::Slots& slots = kAll) {
  return DatabaseLock::Take(path, name, slots).status().code();
}

// Takes a lock in a child process, which then waits to be killed.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      const auto lock = DatabaseLock::Take(path, "one", kAll);
      if (!lock.ok() || write(ends[1], "+", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  void Kill() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(DatabaseLock, IsOnesUntilItGoes) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  {
    const auto lock = DatabaseLock::Take(path, "one", kAll);
    ASSERT_OK(lock.status());
    const absl::Status taken = DatabaseLock::Take(path, "one", kAll).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(taken)) << taken;
    EXPECT_TRUE(absl::StrContains(taken.message(), absl::StrCat("process ", getpid(), " ("))) << taken;
    EXPECT_EQ(CodeOf(path, "two"), absl::StatusCode::kOk);
  }
  EXPECT_EQ(CodeOf(path), absl::StatusCode::kOk);
}

TEST(DatabaseLock, SlotsConflictWhereTheyMeet) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  const auto half = DatabaseLock::Take(path, "one", {0, 1 << 15});
  ASSERT_OK(half.status());
  EXPECT_EQ(CodeOf(path, "one", {1 << 15, 1 << 15}), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(path, "one", {(1 << 15) - 1, 1}), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(path, "one", {(1 << 14), 1 << 15}), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(path, "one"), absl::StatusCode::kFailedPrecondition);
}

TEST(DatabaseLock, HoldsUnderEveryName) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  const auto lock = DatabaseLock::Take(path, "one", kAll);
  ASSERT_OK(lock.status());
  const std::string folder = path.substr(0, path.rfind('/'));
  fs::create_directory(folder + "/below");
  fs::create_symlink(path, folder + "/below/link.db");
  fs::create_symlink(folder, folder + "/below/folder");
  fs::create_hard_link(path, folder + "/hard.db");
  for (const char* name : {"/below/link.db", "/below/../test.db", "/below/folder/test.db", "/hard.db", "//./test.db"}) {
    EXPECT_EQ(CodeOf(folder + name), absl::StatusCode::kFailedPrecondition) << name;
  }
  const std::string bound = folder + "/bound.db";
  std::ofstream(bound).close();
  if (mount(path.c_str(), bound.c_str(), nullptr, MS_BIND, nullptr) == 0) {
    EXPECT_EQ(CodeOf(bound), absl::StatusCode::kFailedPrecondition);
    umount(bound.c_str());
  }
  EXPECT_EQ(CodeOf(bound), absl::StatusCode::kOk);  // the empty file is a different file
}

TEST(DatabaseLock, OfAnotherProcessEndsWithIt) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  Holder holder(path);
  const absl::Status taken = DatabaseLock::Take(path, "one", kAll).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(taken)) << taken;
  EXPECT_TRUE(absl::StrContains(taken.message(), absl::StrCat("process ", holder.pid(), " ("))) << taken;
  EXPECT_TRUE(absl::StrContains(taken.message(), ", since 20")) << taken;
  holder.Kill();
  EXPECT_EQ(CodeOf(path), absl::StatusCode::kOk);
}

// A process that closes a descriptor of a file loses SQLite's record locks on that file. If another process then closed
// its last connection, it would remove the log that the first process still uses.
TEST(DatabaseLock, LeavesTheLocksOfSqliteAlone) {
  const std::string path = NewPath();
  auto store = OpenStore(path);
  ASSERT_OK(CorpusStore(store.get()).PutSource("a", false));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CodeOf(path, absl::StrCat(i)), absl::StatusCode::kOk);
  const pid_t child = fork();
  if (child == 0) {
    // The forked child would inherit the parent's SQLite state, so it runs another program.
    execlp("python3", "python3", "-c",
           "import sqlite3, sys\nsqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM sources').fetchone()",
           path.c_str(), nullptr);
    _exit(127);
  }
  int state = 0;
  waitpid(child, &state, 0);
  ASSERT_EQ(state, 0);
  EXPECT_TRUE(fs::exists(path + "-wal"));
  ASSERT_OK(CorpusStore(store.get()).PutSource("b", false));
  store.reset();
  EXPECT_EQ(CorpusStore(OpenStore(path).get()).Count()->sources, 2);
}

TEST(DatabaseLock, NeedsAFile) { EXPECT_EQ(CodeOf(testing::TempDir() + "/none.db"), absl::StatusCode::kNotFound); }

}  // namespace
}  // namespace rewrought::store
