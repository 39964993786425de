// Tests check, backup, restore, and compact on intact and damaged databases, and when the process is killed at a random
// moment.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "store/maintenance/check.h"
#include "store/maintenance/compact.h"
#include "store/maintenance/copy.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

namespace fs = std::filesystem;

void Fill(const std::string& path, int shaders, int first = 0) {
  auto store = OpenStore(path);
  ASSERT_NE(store, nullptr);
  auto transaction = ScopedTransaction::Begin(store.get());
  CorpusStore corpus(store.get());
  ASSERT_OK(corpus.PutSource("a", false));
  for (int i = first; i < first + shaders; ++i) {
    std::vector<corpus::SiteRecord> sites;
    for (int k = 0; k < 20; ++k) sites.push_back(Site(absl::StrCat(i, " ", k), 1));
    ASSERT_OK(corpus.PutShader(Shader(absl::StrCat(i)), {"a", absl::StrCat(i)}, sites));
  }
  ASSERT_OK((*transaction)->Commit());
}

std::string DumpAt(const std::string& path) {
  auto store = OpenStore(path);
  return store == nullptr ? "" : DumpOf(store.get());
}

void Script(const std::string& path, const std::string& sql) {
  auto database = sqlite::Database::Open(path, OpenMode::kReadWrite, absl::Seconds(5));
  ASSERT_OK(database.status());
  ASSERT_OK((*database)->Script(sql));
}

std::vector<Fault> FaultsOf(const std::string& path, bool quick = false) {
  const auto report = CheckDatabase(path, {.quick = quick, .progress = nullptr});
  EXPECT_OK(report.status());
  return report.ok() ? report->faults : std::vector<Fault>{};
}

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Overwrites the head of the first page that belongs to `table`, and returns the page number.
int64_t DamagePageOf(const std::string& path, const std::string& table) {
  int64_t page = 0;
  {
    auto database = sqlite::Database::Open(path, OpenMode::kReadWrite, absl::Seconds(5));
    EXPECT_OK((*database)->Script("PRAGMA wal_checkpoint(TRUNCATE)"));
    page = (*database)
               ->QueryInt("SELECT max(pageno) FROM dbstat WHERE name = ?1 AND pagetype = 'leaf'", {table})
               .value_or(0);
  }
  EXPECT_GT(page, 1);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp((page - 1) * 4096);
  file << std::string(64, '\xa5');
  return page;
}

TEST(MaintenanceTest, AWholeDatabaseHasNoFault) {
  const std::string path = NewPath();
  Fill(path, 10);
  const auto report = CheckDatabase(path, {});
  ASSERT_OK(report.status());
  EXPECT_TRUE(report->faults.empty()) << report->faults[0].what;
  EXPECT_EQ(report->bytes, report->pages * 4096);
  EXPECT_GT(report->version, 8);
}

TEST(MaintenanceTest, ADamagedPageIsNamedWithItsTableAndTheRemedy) {
  const std::string path = NewPath();
  Fill(path, 100);
  const int64_t page = DamagePageOf(path, "fragments");
  for (const bool quick : {false, true}) {
    const std::vector<Fault> faults = FaultsOf(path, quick);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "page");
    EXPECT_TRUE(absl::StartsWith(faults[0].what, absl::StrCat("page ", page, ", of table fragments")))
        << faults[0].what;
    EXPECT_TRUE(absl::StrContains(faults[0].remedy, "rewrought db restore BACKUP --db " + path)) << faults[0].remedy;
  }
}

TEST(MaintenanceTest, ReportsInvalidRows) {
  struct Case {
    const char *sql, *kind, *what;
  };
  for (const auto& [sql, kind, what] : std::initializer_list<Case>{
           {"UPDATE fragments SET text = 'other' WHERE id = 1", "row",
            "the digest of fragment other does not match its text"},
           {"DELETE FROM occurrences WHERE shader_id = 1", "row", "occurs in no source"},
           {"UPDATE site_blocks SET rows = x'18010001' WHERE fragment_id = 1", "row", "count 0"},
           {"UPDATE site_blocks SET rows = x'08ffff7f' WHERE fragment_id = 1", "reference", "text 2097151"},
           {"UPDATE site_blocks SET first_key = 99999 WHERE fragment_id = 1", "reference", "to shader key 99999"},
           {"UPDATE site_blocks SET rows = x'08' WHERE fragment_id = 1", "structure", "a block of sites is damaged"},
           {"PRAGMA foreign_keys = OFF; DELETE FROM fragments WHERE id = 3", "reference",
            "refers to a row of fragments"},
           {"UPDATE runs SET run_statistics = '{' WHERE id = 'night'", "row", "its statistics are not valid JSON"},
           {"UPDATE runs SET ended = started - 1 WHERE id = 'night'", "row", "ended before it started"},
           {"UPDATE rules SET fragment = zeroblob(32)", "row", "which is not stored"},
           {"DELETE FROM verdicts", "row", "counts as proved, but none of its cases is proved"},
           {"UPDATE shaders SET sites_key = -5 WHERE id = 1", "reference", "refer to shader key"},
           {"UPDATE shaders SET alu_instructions = -1 WHERE id = 1", "row", "-1 instructions"},
           {"UPDATE fragments SET nodes = 9223372036854775807 WHERE id = 1", "row", "9223372036854775807 nodes"},
           {"UPDATE rules SET state = 77", "row", "class 1, state 77"},
           {"PRAGMA user_version = -1", "structure", "its schema version is -1"},
           {"INSERT INTO strings (id, text) VALUES (99999, '32 any'); INSERT INTO contradictions VALUES (zeroblob(32), "
            "99999, zeroblob(32))",
            "contradiction", "once proved and once refuted"},
       }) {
    SCOPED_TRACE(sql);
    const std::string path = NewPath();
    Fill(path, 3);
    {
      auto store = OpenStore(path);
      ASSERT_OK(RunStore(store.get()).CreateRun(RunOf("night", 1)));
      RuleRecord rule = RuleOf("a", "b");
      ASSERT_OK(RuleStore(store.get()).PutRule(rule));
      VerdictRecord verdict = VerdictOf("a rule", v1::VERDICT_PROVED, "16 any");
      verdict.rule = rule.id;
      verdict.semantics = rule.semantics;
      ASSERT_OK(SearchStore(store.get()).PutVerdict(verdict));
    }
    EXPECT_TRUE(FaultsOf(path).empty());
    Script(path, sql);
    const std::vector<Fault> faults = FaultsOf(path);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, kind);
    EXPECT_TRUE(absl::StrContains(faults[0].what, what)) << faults[0].what;
  }
}

TEST(MaintenanceTest, WhatIsNoDatabaseOfOursIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(CheckDatabase(NewPath(), {}).status()));
  const std::string text = NewPath("text.db");
  std::ofstream(text) << std::string(8192, 'x');
  EXPECT_TRUE(absl::IsInvalidArgument(CheckDatabase(text, {}).status()));
  const std::string other = NewPath("other.db");
  { (void)sqlite::Database::Open(other, OpenMode::kCreate, absl::Seconds(1)).value()->Script("CREATE TABLE t (x)"); }
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckDatabase(other, {}).status()));
  const std::string path = NewPath();
  Fill(path, 1);
  EXPECT_FALSE(BackUp(path, other, nullptr).ok());
  EXPECT_FALSE(BackUp(path, text, nullptr).ok());
  EXPECT_EQ(Bytes(text), std::string(8192, 'x'));
  EXPECT_FALSE(BackUp(path, path, nullptr).ok());
  EXPECT_FALSE(Restore(text, path, nullptr).ok());
  EXPECT_TRUE(FaultsOf(path).empty());
}

TEST(MaintenanceTest, ABackupIsOneFileWithEverything) {
  const std::string path = NewPath(), copy = NewPath("copy.db");
  Fill(path, 50);
  const std::string before = DumpAt(path);
  // The last commits are only in the log, because the open reader prevents a checkpoint.
  auto reader = OpenStore(path);
  Fill(path, 5, 50);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  EXPECT_FALSE(fs::exists(copy + "-wal"));
  EXPECT_FALSE(fs::exists(copy + "-journal"));
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(copy).parent_path()), fs::directory_iterator()), 1);
  ExpectSameDump(DumpAt(copy), DumpAt(path));
  EXPECT_NE(DumpAt(copy), before);
  // Replace the old copy with a new backup, then restore it over newer content.
  Fill(path, 5, 100);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  const std::string backed_up = DumpAt(copy);
  Fill(path, 50, 200);
  reader.reset();
  const auto restored = Restore(copy, path, nullptr);
  ASSERT_OK(restored.status());
  EXPECT_EQ(restored->set_aside, "");
  ExpectSameDump(DumpAt(path), backed_up);
}

// A backup in use as a database must not be replaced, because its log would then belong to another file.
TEST(MaintenanceTest, BackupDoesNotReplaceADatabaseInUse) {
  const std::string path = NewPath(), copy = NewPath("copy.db");
  Fill(path, 2);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  {
    auto user = OpenStore(copy);
    ASSERT_OK(CorpusStore(user.get()).PutSource("b", false));
    const auto refused = BackUp(path, copy, nullptr);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
  }
  EXPECT_EQ(CorpusStore(OpenStore(copy).get()).Count()->sources, 2);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  EXPECT_EQ(CorpusStore(OpenStore(copy).get()).Count()->sources, 1);
}

TEST(MaintenanceTest, ADamagedDatabaseMakesNoBackupAndIsReplacedByOne) {
  const std::string path = NewPath(), copy = NewPath("copy.db");
  Fill(path, 100);
  const std::string whole = DumpAt(path);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  const std::string backup = Bytes(copy);
  DamagePageOf(path, "fragments");
  const auto refused = BackUp(path, copy, nullptr);
  EXPECT_TRUE(absl::IsDataLoss(refused.status())) << refused.status();
  EXPECT_EQ(Bytes(copy), backup);
  ASSERT_OK(Restore(copy, path, nullptr).status());
  ExpectSameDump(DumpAt(path), whole);
  // A database too damaged to open is moved aside.
  std::ofstream(path, std::ios::binary) << std::string(50000, 'y');
  const auto restored = Restore(copy, path, nullptr);
  ASSERT_OK(restored.status());
  EXPECT_EQ(restored->set_aside, path + ".damaged-1");
  EXPECT_EQ(Bytes(restored->set_aside), std::string(50000, 'y'));
  ExpectSameDump(DumpAt(path), whole);
  // A damaged backup must not change anything.
  DamagePageOf(copy, "fragments");
  EXPECT_TRUE(absl::IsDataLoss(Restore(copy, path, nullptr).status()));
  ExpectSameDump(DumpAt(path), whole);
}

TEST(MaintenanceTest, NothingIsRestoredUnderAWriter) {
  const std::string path = NewPath(), copy = NewPath("copy.db");
  Fill(path, 2);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  Fill(path, 2, 2);
  {
    auto writer = OpenStore(path);
    const auto refused = Restore(copy, path, nullptr);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
    EXPECT_TRUE(absl::StrContains(refused.status().message(), absl::StrCat("process ", getpid()))) << refused.status();
    EXPECT_EQ(CorpusStore(writer.get()).Count()->shaders, 4);
  }
  ASSERT_OK(Restore(copy, path, nullptr).status());
  EXPECT_EQ(CorpusStore(OpenStore(path).get()).Count()->shaders, 2);
}

TEST(MaintenanceTest, StoppedCopiesLeaveWhatWasThere) {
  const std::string path = NewPath(), copy = NewPath("copy.db");
  Fill(path, 10);
  const auto stop = [](double) { return false; };
  // The database is larger than one step of the copy.
  Fill(path, 4000, 10);
  EXPECT_TRUE(absl::IsCancelled(BackUp(path, copy, stop).status()));
  EXPECT_FALSE(fs::exists(copy));
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  Fill(path, 1, 90000);
  EXPECT_TRUE(absl::IsCancelled(Restore(copy, path, stop).status()));
  EXPECT_EQ(CorpusStore(OpenStore(path).get()).Count()->shaders, 4011);
}

// Runs `work` in a child process, and kills the child after the duration `after`. Returns whether the child was killed
// before it exited.
bool Killed(const std::function<bool()>& work, std::chrono::microseconds after) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 3);
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  int state = 0;
  waitpid(child, &state, 0);
  EXPECT_TRUE(WIFSIGNALED(state) || WEXITSTATUS(state) == 0) << state;
  return WIFSIGNALED(state);
}

TEST(MaintenanceTest, KilledAnywhereTheOldFileIsWhole) {
  const std::string path = NewPath(), copy = NewPath("copy.db"), larger = NewPath("larger.db");
  Fill(path, 300);
  const std::string small = DumpAt(path);
  ASSERT_OK(BackUp(path, copy, nullptr).status());
  Fill(larger, 1500);
  const std::string large = DumpAt(larger);
  int kills = 0;
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    const std::chrono::microseconds after(1500 * (round % 6) + 500);
    kills += Killed([&] { return BackUp(larger, copy, nullptr).ok(); }, after) ? 1 : 0;
    const std::string found = DumpAt(copy);
    EXPECT_TRUE(found == small || found == large);
    kills += Killed([&] { return Restore(larger, path, nullptr).ok(); }, after) ? 1 : 0;
    const std::string restored = DumpAt(path);
    EXPECT_TRUE(restored == small || restored == large);
    EXPECT_TRUE(FaultsOf(path).empty());
    Script(path,
           "CREATE TABLE IF NOT EXISTS ballast (x); INSERT INTO ballast VALUES (randomblob(2000000)); DROP TABLE "
           "ballast;");
    const std::string before = DumpAt(path);
    kills += Killed([&] { return CompactDatabase(path, {}).ok(); }, after) ? 1 : 0;
    ExpectSameDump(DumpAt(path), before);
    EXPECT_TRUE(FaultsOf(path).empty());
  }
  EXPECT_GT(kills, 6);
  ASSERT_OK(BackUp(larger, copy, nullptr).status());
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(copy).parent_path()), fs::directory_iterator()), 1);
}

TEST(MaintenanceTest, CompactDropsSitesOfShadersThatWereCutAnew) {
  const std::string path = NewPath();
  Fill(path, 3);
  {
    auto store = OpenStore(path);
    ASSERT_OK(CorpusStore(store.get()).PutShader(Shader("1", "another extraction"), {"a", "1"}, {Site("f", 1)}));
  }
  const std::string before = DumpAt(path);
  EXPECT_TRUE(FaultsOf(path).empty());
  ASSERT_OK(CompactDatabase(path, {}).status());
  EXPECT_EQ(DumpAt(path), before);
  auto database = sqlite::Database::Open(path, OpenMode::kReadOnly, absl::Seconds(5));
  ASSERT_OK(database.status());
  EXPECT_EQ(*(*database)->QueryInt("SELECT (SELECT count(*) FROM stale_sites) * 1000 + count(*) FROM site_blocks"),
            2 * 20 + 1);
}

TEST(MaintenanceTest, CompactGivesBackSpaceAndForgetsRuns) {
  const std::string path = NewPath();
  Fill(path, 400);
  const absl::Time now = absl::Now();
  {
    auto store = OpenStore(path);
    RunStore runs(store.get());
    // Adds a run that ended `days` days ago.
    const auto add = [&](const std::string& id, int days, const std::string& config, v1::RunState state) {
      RunRecord run = RunOf(id, 0);
      run.config = config;
      run.state = state;
      run.started = run.updated = now - absl::Hours(24 * days);
      run.ended = run.started;
      ASSERT_OK(runs.CreateRun(run));
    };
    add("old", 300, "x", v1::RUN_STATE_DONE);
    add("failed", 250, "x", v1::RUN_STATE_FAILED);
    add("young", 3, "x", v1::RUN_STATE_DONE);
    add("alone", 400, "y", v1::RUN_STATE_DONE);     // the newest run of its configuration
    add("paused", 350, "x", v1::RUN_STATE_PAUSED);  // can be resumed
    add("finder", 320, "x", v1::RUN_STATE_DONE);    // found a stored rule
    RuleRecord rule = RuleOf("a", "b");
    rule.created_run = "finder";
    ASSERT_OK(RuleStore(store.get()).PutRule(rule));
    ASSERT_OK(RuleStore(store.get()).SetStateInRun(rule.id, v1::RULE_STATE_LOST, "gone", "old"));
  }
  Script(path, "DELETE FROM site_blocks WHERE first_key > 10; DELETE FROM fragments WHERE id > 200");
  const auto report = CompactDatabase(path, {.forget_runs_before = now - absl::Hours(24 * 90)});
  ASSERT_OK(report.status());
  EXPECT_EQ(report->runs_forgotten, 2);
  EXPECT_LT(report->bytes_after, report->bytes_before * 3 / 4);
  std::vector<std::string> left;
  auto store = OpenStore(path);
  const auto runs = RunStore(store.get()).ListRuns(std::nullopt, 100);
  ASSERT_OK(runs.status());
  for (const RunRecord& run : *runs) left.push_back(run.id);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"alone", "finder", "paused", "young"}));
  EXPECT_TRUE(FaultsOf(path).empty());
}

}  // namespace
}  // namespace rewrought::store
