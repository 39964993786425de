// Kills a process in the middle of a transaction. Committed data must remain, and uncommitted data must be gone.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "corpus/site_record.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

constexpr int kSitesPerShader = 20;

// Adds shaders, one per transaction, and writes a byte to `pipe` after each commit. Runs until it is killed.
void WriteForEver(const std::string& path, int pipe) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path);
  if (!store.ok()) _exit(3);
  CorpusStore corpus(store->get());
  RunStore runs(store->get());
  for (int i = 0;; ++i) {
    auto transaction = ScopedTransaction::Begin(store->get());
    if (!transaction.ok()) _exit(4);
    std::vector<corpus::SiteRecord> sites;
    for (int k = 0; k < kSitesPerShader; ++k) sites.push_back(Site(absl::StrCat(i, " ", k % 7, k), 1));
    if (!corpus.PutShader(Shader(absl::StrCat(i)), {"a", absl::StrCat(i)}, sites).ok()) _exit(5);
    RunRecord run = *runs.GetRun("night");
    run.cursor = absl::StrCat(i + 1);
    if (!runs.UpdateRun(run).ok() || !(*transaction)->Commit().ok()) _exit(6);
    if (write(pipe, "+", 1) != 1) _exit(7);
  }
}

// Runs WriteForEver in a child process, waits for `commits` commits, and kills the child `microseconds` later. Returns
// the number of commits that the child announced.
int WriteAndKill(const std::string& path, int commits, int microseconds) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    WriteForEver(path, ends[1]);
  }
  close(ends[1]);
  int announced = 0;
  char byte = 0;
  while (announced < commits && read(ends[0], &byte, 1) == 1) ++announced;
  usleep(microseconds);
  kill(child, SIGKILL);
  int state = 0;
  waitpid(child, &state, 0);
  EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL) << state;
  while (read(ends[0], &byte, 1) == 1) ++announced;
  close(ends[0]);
  return announced;
}

TEST(CrashTest, KillLeavesWhatWasCommitted) {
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const std::string path = NewPath();
    {
      auto store = OpenStore(path);
      ASSERT_OK(CorpusStore(store.get()).PutSource("a", false));
      ASSERT_OK(RunStore(store.get()).CreateRun(RunOf("night", 1)));
    }
    const int announced = WriteAndKill(path, 5 + 7 * round, 137 * round);
    ASSERT_GE(announced, 5 + 7 * round);
    auto store = OpenStore(path);
    ASSERT_NE(store, nullptr);
    std::string check;
    ASSERT_OK(store->Read([&](sqlite::Database& database) {
      return database.Query("SELECT * FROM pragma_integrity_check", {}, [&](const sqlite::Row& row) {
        check += row.String(0);
        return absl::OkStatus();
      });
    }));
    EXPECT_EQ(check, "ok");
    EXPECT_FALSE(absl::IsNotFound(CorpusStore(store.get()).GetShader(D(absl::StrCat(announced - 1))).status()));
    const auto counts = CorpusStore(store.get()).Count();
    // One more transaction may have been committed but not announced.
    EXPECT_TRUE(counts->shaders == announced || counts->shaders == announced + 1)
        << counts->shaders << " " << announced;
    EXPECT_EQ(counts->sites, counts->shaders * kSitesPerShader);
    // The cursor is committed together with the work.
    EXPECT_EQ(RunStore(store.get()).GetRun("night")->cursor, absl::StrCat(counts->shaders));
  }
}

TEST(CrashTest, KillBeforeTheFirstCommitLeavesNothing) {
  const std::string path = NewPath();
  OpenStore(path).reset();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto store = Store::Open(path);
    auto transaction = ScopedTransaction::Begin(store->get());
    CorpusStore corpus(store->get());
    // These rows exceed the page cache, so the log contains uncommitted pages.
    for (int i = 0; i < 40000; ++i) {
      if (!corpus.PutSource(absl::StrCat(i, std::string(1000, 'x')), false).ok()) _exit(3);
    }
    if (write(ends[1], "+", 1) != 1) _exit(4);
    pause();
  }
  close(ends[1]);
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  auto store = OpenStore(path);
  EXPECT_EQ(CorpusStore(store.get()).Count()->sources, 0);
  ASSERT_OK(CorpusStore(store.get()).PutSource("a", false));
}

}  // namespace
}  // namespace rewrought::store
