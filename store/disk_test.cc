// Tests that full disks and read-only files are reported clearly, and that no committed data is lost.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

constexpr int kCannotMount = 77;

// Runs `body` in a child process. Returns its exit status, or -1 if a signal ended it. The child's output goes to
// this test's output.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// Gives this process a private mount namespace and mounts a small file system on `folder`.
bool MountSmall(const std::string& folder, const char* options) {
  if (unshare(CLONE_NEWNS) != 0) return false;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount("tmpfs", folder.c_str(), "tmpfs", 0, options) == 0;
}

// Fills the database until a write fails. Returns 0 if the error contains `expected` and all committed data is still
// stored.
int FillUntilFull(Store* store, const std::string& expected) {
  CorpusStore corpus(store);
  if (!corpus.PutSource("first", false).ok()) return 2;
  int64_t committed = 1;
  absl::Status status;
  for (int batch = 0; status.ok() && batch < 200; ++batch) {
    auto transaction = ScopedTransaction::Begin(store);
    if (!transaction.ok()) return 3;
    for (int i = 0; i < 100 && status.ok(); ++i) {
      status = corpus.PutSource(absl::StrCat(batch, " ", i, std::string(2000, 'x')), false);
    }
    const absl::Status commit = (*transaction)->Commit();
    if (!status.ok() && commit.ok()) return 4;  // a transaction with a failed write must not be committed
    status.Update(commit);
    if (status.ok()) committed += 100;
  }
  if (!absl::IsResourceExhausted(status) || !absl::StrContains(status.message(), expected) ||
      !absl::StrContains(status.message(), store->path())) {
    fprintf(stderr, "%s\n", status.ToString().c_str());
    return 5;
  }
  const auto counts = corpus.Count();
  if (!counts.ok() || counts->sources != committed) {
    fprintf(stderr, "%s %ld\n", counts.status().ToString().c_str(), static_cast<long>(committed));
    return 6;
  }
  return 0;
}

TEST(DiskTest, FullDisk) {
  const std::string path = NewPath();
  const std::string folder = path.substr(0, path.rfind('/'));
  const int result = InChild([&] {
    if (!MountSmall(folder, "size=3m")) return kCannotMount;
    auto store = Store::Open(path);
    if (!store.ok()) return 1;
    return FillUntilFull(store->get(), "the disk is full");
  });
  if (result == kCannotMount) GTEST_SKIP() << "no permission to mount a file system";
  EXPECT_EQ(result, 0);
}

TEST(DiskTest, FileSizeLimit) {
  const std::string path = NewPath();
  const int result = InChild([&] {
    auto store = Store::Open(path);
    if (!store.ok()) return 1;
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {3 << 20, 3 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    return FillUntilFull(store->get(), "the file size limit of this process is reached");
  });
  EXPECT_EQ(result, 0);
  // In a process without the limit, the same database works again.
  auto store = OpenStore(path);
  ASSERT_NE(store, nullptr);
  ASSERT_OK(CorpusStore(store.get()).PutSource("after", false));
  EXPECT_EQ(CorpusStore(store.get()).Count()->sources % 100, 2);
}

// A database on a read-only file system can be read without leaving a trace, and writers are refused.
TEST(DiskTest, ReadOnlyFileSystem) {
  const std::string path = NewPath();
  const std::string folder = path.substr(0, path.rfind('/'));
  const int result = InChild([&] {
    if (!MountSmall(folder, "size=3m")) return kCannotMount;
    {
      auto store = Store::Open(path);
      if (!store.ok() || !CorpusStore(store->get()).PutSource("a", false).ok()) return 1;
    }
    if (mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=3m") != 0) return 2;
    StoreOptions options;
    options.mode = OpenMode::kReadOnly;
    auto reader = Store::Open(path, options);
    if (!reader.ok() || CorpusStore(reader->get()).Count()->sources != 1) {
      fprintf(stderr, "%s\n", reader.status().ToString().c_str());
      return 3;
    }
    const absl::Status status = Store::Open(path).status();
    if (absl::IsPermissionDenied(status) && absl::StrContains(status.message(), path)) return 0;
    fprintf(stderr, "%s\n", status.ToString().c_str());
    return 4;
  });
  if (result == kCannotMount) GTEST_SKIP() << "no permission to mount a file system";
  EXPECT_EQ(result, 0);
}

TEST(DiskTest, ReadOnlyFile) {
  // The folder is not in the test's own folder, which an unprivileged user may not be able to reach.
  char folder[] = "/tmp/rewrought_disk_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/store.db";
  OpenStore(path).reset();
  const int result = InChild([&] {
    chmod(path.c_str(), 0444);
    chmod(path.substr(0, path.rfind('/')).c_str(), 0755);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 2;  // root ignores file permissions
    const auto store = Store::Open(path);
    absl::Status status = store.status();
    if (store.ok()) status = CorpusStore(store->get()).PutSource("a", false);
    if (absl::IsPermissionDenied(status) && absl::StrContains(status.message(), path)) return 0;
    fprintf(stderr, "%s\n", status.ToString().c_str());
    return 3;
  });
  std::filesystem::remove_all(folder);
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace rewrought::store
