#include "store/shards/part.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/maintenance/check.h"
#include "store/shards/merge.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

constexpr int kParts = 3;

AttemptRecord AttemptOf(const std::string& fragment, int64_t enumerated) {
  AttemptRecord attempt;
  attempt.key = {D(fragment), "intel_gen9", D("semantics"), D("search")};
  attempt.enumerated = enumerated;
  return attempt;
}

// Adds 40 fragments in 20 shaders of two sources, a rule with a verdict and a run, and attempts for some fragments.
void Fill(Store* store) {
  CorpusStore corpus(store);
  ASSERT_OK(corpus.PutSource("a", false));
  ASSERT_OK(corpus.PutSource("b", true));
  for (int i = 0; i < 20; ++i) {
    std::vector<corpus::SiteRecord> sites;
    for (int k = 0; k < 8; ++k) sites.push_back(Site(absl::StrCat("f", (5 * i + k) % 40), 1 + k, absl::StrCat(k % 3)));
    ASSERT_OK(corpus.PutShader(Shader(absl::StrCat(i)), {i % 2 == 0 ? "a" : "b", absl::StrCat(i)}, sites));
  }
  ASSERT_OK(RunStore(store).CreateRun(RunOf("one", 1)));
  const RuleRecord rule = RuleOf("('iadd', a, 0)", "a");
  ASSERT_OK(RuleStore(store).PutRule(rule));
  SearchStore search(store);
  ASSERT_OK(search.PutCandidate(Candidate("c")));
  VerdictRecord verdict = VerdictOf("c", v1::VERDICT_PROVED);
  verdict.rule = rule.id;
  ASSERT_OK(search.PutVerdict(verdict));
  for (int i = 0; i < 10; ++i) ASSERT_OK(search.PutAttempt(AttemptOf(absl::StrCat("f", i), i)));
}

int64_t Ask(Store* store, const std::string& sql) {
  int64_t answer = -1;
  EXPECT_OK(store->Read([&](sqlite::Database& database) {
    const absl::StatusOr<int64_t> found = database.QueryInt(sql);
    answer = found.value_or(-1);
    return found.status();
  }));
  return answer;
}

class PartTest : public testing::Test {
 protected:
  void SetUp() override {
    whole_ = NewPath("whole.db");
    Fill(OpenStore(whole_).get());
    for (int k = 0; k < kParts; ++k) {
      parts_.push_back(NewPath(absl::StrCat("parts-", k, ".db")));
      const absl::StatusOr<PartReport> report = WritePart(whole_, parts_.back(), k, kParts);
      ASSERT_OK(report.status());
      reports_.push_back(*report);
    }
  }

  std::string whole_;
  std::vector<std::string> parts_;
  std::vector<PartReport> reports_;
};

TEST_F(PartTest, EachFragmentIsInOnePartWithAllOfItsSites) {
  auto whole = OpenStore(whole_);
  int64_t fragments = 0, sites = 0, attempts = 0;
  for (int k = 0; k < kParts; ++k) {
    const absl::StatusOr<CheckReport> check = CheckDatabase(parts_[k], {});
    ASSERT_OK(check.status());
    for (const Fault& fault : check->faults) ADD_FAILURE() << fault.what;
    auto part = OpenStore(parts_[k]);
    EXPECT_EQ(Ask(part.get(), "SELECT count(*) FROM fragments"), reports_[k].fragments);
    EXPECT_EQ(Ask(part.get(), "SELECT count(*) FROM sites"), reports_[k].sites);
    EXPECT_EQ(Ask(part.get(), "SELECT count(*) FROM shaders"), reports_[k].shaders);
    EXPECT_EQ(reports_[k].bytes, std::filesystem::file_size(parts_[k]));
    EXPECT_GT(reports_[k].fragments, 0);
    fragments += reports_[k].fragments;
    sites += reports_[k].sites;
    attempts += Ask(part.get(), "SELECT count(*) FROM attempts");
    for (const char* table : {"rules", "verdicts", "runs", "sources", "candidates"}) {
      const std::string count = absl::StrCat("SELECT count(*) FROM ", table);
      EXPECT_EQ(Ask(part.get(), count), Ask(whole.get(), count)) << table;
    }
    // A search sees the same data about a fragment in the part as in the whole database.
    EXPECT_OK(CorpusStore(part.get()).ForEachFragment({}, [&](const FragmentSummary& found) {
      bool same = false;
      absl::Status status = CorpusStore(whole.get()).ForEachFragment({}, [&](const FragmentSummary& one) {
        same |= one.digest == found.digest && one.shaders == found.shaders && one.sites == found.sites &&
                one.sources == found.sources;
        return absl::OkStatus();
      });
      EXPECT_TRUE(same) << found.fragment.text;
      return status;
    }));
  }
  EXPECT_EQ(fragments, 40);
  EXPECT_EQ(sites, Ask(whole.get(), "SELECT count(*) FROM sites"));
  EXPECT_EQ(attempts, 10);
}

TEST_F(PartTest, WhatIsFoundInPartsComesBack) {
  const std::string expected = NewPath("expected.db");
  std::filesystem::copy_file(whole_, expected);
  for (int k = 0; k < kParts; ++k) {
    auto part = OpenStore(parts_[k]);
    std::vector<std::string> texts;
    ASSERT_OK(CorpusStore(part.get()).ForEachFragment({}, [&](const FragmentSummary& found) {
      texts.push_back(found.fragment.text);
      return absl::OkStatus();
    }));
    ASSERT_FALSE(texts.empty());
    for (const std::string& path : {expected, parts_[k]}) {
      auto store = OpenStore(path);
      ASSERT_OK(SearchStore(store.get()).PutAttempt(AttemptOf(texts[0], 77)));
      ASSERT_OK(RuleStore(store.get()).PutRule(RuleOf(absl::StrCat("('iadd', a, ", k + 1, ")"), "a")));
    }
  }
  auto whole = OpenStore(whole_);
  for (const std::string& part : parts_) {
    const absl::StatusOr<MergeReport> merged = Merge(whole.get(), part);
    ASSERT_OK(merged.status());
    EXPECT_EQ(merged->sites + merged->shaders + merged->fragments, 0);
    EXPECT_GT(merged->attempts, 0);
  }
  ExpectSameDump(DumpOf(whole.get()), DumpOf(OpenStore(expected).get()));
}

TEST_F(PartTest, APartIsNoCorpus) {
  auto other = OpenStore(NewPath("other.db"));
  const absl::Status refused = Merge(other.get(), parts_[0]).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_TRUE(absl::StrContains(refused.message(), "a part of a corpus")) << refused;
  EXPECT_EQ(Ask(other.get(), "SELECT count(*) FROM shaders"), 0);
  const absl::StatusOr<bool> read = CorpusStore(OpenStore(parts_[0]).get()).HasShader(D("0"), D("extraction 1"));
  ASSERT_OK(read.status());
  EXPECT_FALSE(*read);
}

// A part has the rules of all fragments, and `db check` once reported such a part as damaged.
TEST_F(PartTest, APartWithRulesOfOtherFragmentsIsIntact) {
  {
    auto whole = OpenStore(whole_);
    for (int i = 0; i < 10; ++i) {
      RuleRecord rule = RuleOf(absl::StrCat("s", i), "r");
      rule.fragment = D(absl::StrCat("f", i));
      ASSERT_OK(RuleStore(whole.get()).PutRule(rule));
      VerdictRecord verdict = VerdictOf("r", v1::VERDICT_PROVED);
      verdict.rule = rule.id;
      ASSERT_OK(SearchStore(whole.get()).PutVerdict(verdict));
    }
  }
  for (int k = 0; k < kParts; ++k) {
    ASSERT_OK(WritePart(whole_, parts_[k], k, kParts).status());
    EXPECT_GE(Ask(OpenStore(parts_[k]).get(), "SELECT count(*) FROM rules"), 10);
    const absl::StatusOr<CheckReport> check = CheckDatabase(parts_[k], {});
    ASSERT_OK(check.status());
    for (const Fault& fault : check->faults) ADD_FAILURE() << fault.what;
  }
}

TEST_F(PartTest, AStoppedPartLeavesNoFiles) {
  const std::string temporary = std::filesystem::path(NewPath()).parent_path().string();
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", temporary.c_str(), 1);
  const std::string to = NewPath("stopped.db");
  for (const int steps : {0, 3, 15, 100}) {
    int calls = 0;
    const absl::Status stopped = WritePart(whole_, to, 0, kParts, [&] { return calls++ < steps; }).status();
    EXPECT_EQ(stopped.ok(), calls <= steps) << stopped;
    EXPECT_TRUE(stopped.ok() || absl::IsCancelled(stopped)) << stopped;
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
    EXPECT_EQ(std::filesystem::exists(to), stopped.ok());
  }
  // A killed process cannot remove its folder, so the next process does.
  const pid_t child = fork();
  if (child == 0) (void)WritePart(whole_, to, 0, kParts, []() -> bool { _exit(0); });
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(std::filesystem::is_empty(temporary));
  ASSERT_OK(WritePart(whole_, to, 0, kParts).status());
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(PartTest, ErrorsLeaveWhatIsThere) {
  EXPECT_TRUE(absl::IsNotFound(WritePart(NewPath("none.db"), parts_[0], 0, 2).status()));
  EXPECT_FALSE(WritePart(whole_, whole_, 0, 2).ok());
  EXPECT_EQ(Ask(OpenStore(whole_).get(), "SELECT count(*) FROM fragments"), 40);
  // Writing a part again replaces the existing part.
  const absl::StatusOr<PartReport> again = WritePart(whole_, parts_[0], 1, kParts);
  ASSERT_OK(again.status());
  EXPECT_EQ(again->fragments, reports_[1].fragments);
}

}  // namespace
}  // namespace rewrought::store
