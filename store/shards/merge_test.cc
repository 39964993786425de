#include "store/shards/merge.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "store/dump.h"
#include "store/schema.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

// Simulates extraction: the same content produces the same sites in every shard.
std::vector<corpus::SiteRecord> SitesOf(int content, int extraction) {
  std::vector<corpus::SiteRecord> sites;
  for (int i = 0; i < 3; ++i) {
    sites.push_back(
        Site(absl::StrCat("f", (content * 5 + extraction * 3 + i) % 17), content + i + 1, absl::StrCat("fact", i)));
  }
  return sites;
}

// Adds random records from a small domain, so that shards overlap and conflict.
class RandomShard {
 public:
  RandomShard(Store* store, int seed) : store_(store), random_(seed) {}

  void Fill() {
    CorpusStore corpus(store_);
    auto transaction = ScopedTransaction::Begin(store_);
    ASSERT_OK(transaction.status());
    for (int i = 0; i < 4; ++i) ASSERT_OK(corpus.PutSource(absl::StrCat("source", i), Pick(2)));
    for (int i = 0; i < 12; ++i) {
      const int content = Pick(20), extraction = Pick(2);
      ASSERT_OK(corpus.PutShader(Shader(absl::StrCat("shader", content), absl::StrCat("extraction", extraction)),
                                 {absl::StrCat("source", Pick(4)), absl::StrCat("name", Pick(3))},
                                 SitesOf(content, extraction)));
    }
    for (int i = 0; i < 3; ++i) FillRun(i);
    for (int i = 0; i < 10; ++i) FillSearch();
    for (int i = 0; i < 6; ++i) FillRule();
    ASSERT_OK((*transaction)->Commit());
  }

 private:
  int Pick(int below) { return static_cast<int>(random_() % below); }

  std::vector<ir::Digest> Fragments() {
    std::vector<ir::Digest> fragments;
    for (const Split split : {Split::kDiscovery, Split::kHeldOut}) {
      CorpusStore::FragmentQuery query;
      query.split = split;
      EXPECT_TRUE(CorpusStore(store_)
                      .ForEachFragment(query,
                                       [&](const FragmentSummary& fragment) {
                                         fragments.push_back(fragment.digest);
                                         return absl::OkStatus();
                                       })
                      .ok());
    }
    return fragments;
  }

  void FillRun(int i) {
    RunRecord run = RunOf(absl::StrCat("run", i), i);
    run.state = static_cast<v1::RunState>(1 + Pick(5));
    run.cursor = absl::StrCat(Pick(100));
    if (Pick(2)) run.ended = absl::FromUnixSeconds(Pick(50));
    ASSERT_OK(RunStore(store_).CreateRun(run));
  }

  void FillSearch() {
    SearchStore search(store_);
    const std::vector<ir::Digest> fragments = Fragments();
    const ir::Digest fragment = fragments[Pick(static_cast<int>(fragments.size()))];
    AttemptRecord attempt;
    attempt.key = {fragment, absl::StrCat("machine", Pick(2)), D("semantics"), D("search")};
    attempt.outcome = static_cast<AttemptOutcome>(1 + Pick(3));
    attempt.milliseconds = Pick(5);
    ASSERT_OK(search.PutAttempt(attempt));
    CandidateRecord candidate = Candidate(absl::StrCat("candidate", Pick(6)));
    if (Pick(3)) candidate.fragment = fragment;
    ASSERT_OK(search.PutCandidate(candidate));
    VerdictRecord verdict = VerdictOf(absl::StrCat("rule", Pick(4)), static_cast<v1::Verdict>(1 + Pick(5)),
                                      absl::StrCat(8 << Pick(3), " any"));
    verdict.certificate = absl::StrCat(Pick(3));
    verdict.milliseconds = Pick(5);
    ASSERT_OK(search.PutVerdict(verdict));
  }

  void FillRule() {
    RuleStore rules(store_);
    RuleRecord rule = RuleOf(absl::StrCat("search", Pick(5)), "r");
    rule.created = absl::FromUnixSeconds(Pick(4));
    if (Pick(2)) rule.created_run = absl::StrCat("run", Pick(3));
    rule.detail = absl::StrCat(Pick(3));
    if (Pick(2)) rule.generalised_from = D(absl::StrCat(Pick(2)));
    ASSERT_OK(rules.PutRule(rule));
    ASSERT_OK(rules.SetStateInRun(rule.id, static_cast<v1::RuleState>(1 + Pick(5)), absl::StrCat(Pick(2)),
                                  absl::StrCat("run", Pick(3))));
    MeasurementRecord measurement;
    measurement.rule = rule.id;
    measurement.split = Pick(2) ? Split::kHeldOut : Split::kDiscovery;
    measurement.hits = Pick(4);
    measurement.tuned_cycles = Pick(4);
    ASSERT_OK(rules.PutMeasurement(measurement));
    v1::RuleTrial trial;
    trial.set_driver("driver");
    trial.set_instructions(static_cast<double>(measurement.hits));
    ASSERT_OK(rules.PutTrial(measurement.rule, trial));
    v1::DriverTrial driver;
    driver.set_driver("driver");
    driver.set_machine(absl::StrCat("machine", Pick(2)));
    driver.set_tried(static_cast<uint64_t>(Pick(9)));
    ASSERT_OK(rules.ReplaceTrials({driver}, {}).status());
    std::vector<HitRecord> hits;
    ASSERT_OK(CorpusStore(store_).ForEachShader(Split::kDiscovery, std::nullopt, 2, [&](const ShaderRecord& shader) {
      hits.push_back({shader.digest, Pick(5), 1, static_cast<double>(Pick(5)), {Pick(9)}});
      return absl::OkStatus();
    }));
    ASSERT_OK(rules.PutHits(rule.id, hits));
  }

  Store* store_;
  std::mt19937 random_;
};

// Counts the site rows of shaders that were later stored again with a different extraction.
int64_t StaleRows(Store* store) {
  int64_t rows = -1;
  EXPECT_OK(store->Read([&](sqlite::Database& reader) {
    const auto counted = reader.QueryInt(
        "SELECT (SELECT count(*) FROM stale_sites) + count(*) FROM site_blocks b CROSS JOIN unpack_sites(b.first_key, "
        "b.rows) WHERE sites_key NOT IN (SELECT sites_key FROM shaders)");
    rows = counted.value_or(-1);
    return counted.status();
  }));
  return rows;
}

std::string Merged(const std::vector<std::string>& shards) {
  auto store = OpenStore(NewPath("merged.db"));
  for (const std::string& shard : shards) {
    const auto report = Merge(store.get(), shard);
    EXPECT_TRUE(report.ok()) << report.status();
  }
  EXPECT_EQ(StaleRows(store.get()), 0);
  return DumpOf(store.get());
}

TEST(MergeTest, OrderAndRepetitionDoNotMatter) {
  for (int seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::string> shards;
    std::vector<std::string> dumps;
    for (int i = 0; i < 3; ++i) {
      shards.push_back(NewPath("shard.db"));
      auto store = OpenStore(shards.back());
      RandomShard(store.get(), 100 * seed + i).Fill();
      dumps.push_back(DumpOf(store.get()));
      ExpectSameDump(Merged({shards.back()}), dumps.back());  // merging into an empty database copies the shard
    }
    std::vector<std::string> order = shards;
    std::sort(order.begin(), order.end());
    const std::string first = Merged(order);
    EXPECT_NE(first, dumps[0]);
    while (std::next_permutation(order.begin(), order.end())) ExpectSameDump(Merged(order), first);
    ExpectSameDump(Merged({shards[0], shards[1], shards[0], shards[2], shards[2], shards[1]}), first);
    // Merge two shards first: (0 + 1) + 2.
    const std::string pair_path = NewPath("pair.db");
    {
      auto pair = OpenStore(pair_path);
      ASSERT_OK(Merge(pair.get(), shards[0]).status());
      ASSERT_OK(Merge(pair.get(), shards[1]).status());
    }
    ExpectSameDump(Merged({shards[2], pair_path}), first);
    // Merge all shards together, twice, and also into a database that already contains a shard.
    for (const std::vector<std::string>& before : {std::vector<std::string>{}, {shards[1]}}) {
      auto together = OpenStore(NewPath("together.db"));
      for (const std::string& shard : before) ASSERT_OK(Merge(together.get(), shard).status());
      ASSERT_OK(MergeTogether(together.get(), shards).status());
      ExpectSameDump(DumpOf(together.get()), first);
      const auto again = MergeTogether(together.get(), shards);
      ASSERT_OK(again.status());
      EXPECT_EQ(*again, std::vector<MergeReport>(shards.size()));
    }
    for (size_t i = 0; i < shards.size(); ++i) ExpectSameDump(DumpOf(OpenStore(shards[i]).get()), dumps[i]);
  }
}

// String ids differ between the two databases, so the rows of one shader are ordered differently.
TEST(MergeTest, TextsThatAreKnownInAnotherOrder) {
  const std::string path = NewPath("shard.db");
  auto store = OpenStore(NewPath());
  std::string expected;
  {
    auto shard = OpenStore(path);
    CorpusStore corpus(shard.get());
    ASSERT_OK(corpus.PutSource("a", false));
    ASSERT_OK(
        corpus.PutShader(Shader("x"), {"a", "x"}, {Site("f", 1, "one"), Site("f", 1, "two"), Site("f", 1, "three")}));
    expected = DumpOf(shard.get());
  }
  ASSERT_OK(store->Write([&](sqlite::Database& writer) {
    for (const char* text : {"three", "two", "one"}) {
      if (const auto id = store->Intern(writer, text); !id.ok()) return id.status();
    }
    return absl::OkStatus();
  }));
  ASSERT_OK(Merge(store.get(), path).status());
  ExpectSameDump(DumpOf(store.get()), expected);
}

TEST(MergeTest, ReportsWhatIsNewAndNothingTheSecondTime) {
  const std::string path = NewPath("shard.db");
  {
    auto shard = OpenStore(path);
    ASSERT_OK(CorpusStore(shard.get()).PutSource("a", false));
    ASSERT_OK(CorpusStore(shard.get()).PutShader(Shader("x"), {"a", "x"}, {Site("f", 1), Site("g", 1)}));
    ASSERT_OK(SearchStore(shard.get()).PutVerdict(VerdictOf("r", v1::VERDICT_PROVED)));
    ASSERT_OK(RuleStore(shard.get()).PutRule(RuleOf("s", "r")));
  }
  auto store = OpenStore(NewPath());
  ASSERT_OK(SearchStore(store.get()).PutVerdict(VerdictOf("r", v1::VERDICT_REFUTED)));
  const auto report = Merge(store.get(), path);
  ASSERT_OK(report.status());
  MergeReport expected;
  expected.shaders = 1;
  expected.fragments = 2;
  expected.sites = 2;
  expected.rules = 1;
  expected.contradictions = 1;
  EXPECT_EQ(*report, expected);
  EXPECT_EQ((*SearchStore(store.get()).FindVerdict(D("r"), "32 any", D("semantics 1")))->verdict, v1::VERDICT_REFUTED);
  EXPECT_EQ(*Merge(store.get(), path), MergeReport());
  ASSERT_OK(CorpusStore(store.get()).PutShader(Shader("y"), {"a", "y"}, {Site("f", 1)}));
}

TEST(MergeTest, TogetherReportsEachShardAndStopsWhenAsked) {
  std::vector<std::string> shards;
  for (int i = 0; i < 3; ++i) {
    shards.push_back(NewPath("shard.db"));
    auto shard = OpenStore(shards.back());
    ASSERT_OK(CorpusStore(shard.get()).PutSource("a", false));
    ASSERT_OK(CorpusStore(shard.get())
                  .PutShader(Shader(absl::StrCat("x", i)), {"a", "x"}, {Site("f", 1), Site(absl::StrCat("g", i), 1)}));
  }
  auto store = OpenStore(NewPath());
  const auto stopped = MergeTogether(store.get(), shards, {.progress = [](double share) {
                                       EXPECT_EQ(share, 0);
                                       return false;
                                     }});
  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kCancelled);
  // The progress callback is also called before each shard.
  int asked = 0;
  EXPECT_EQ(MergeTogether(store.get(), shards, {.progress = [&](double) { return ++asked < 3; }}).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(DumpOf(store.get()), DumpOf(OpenStore(NewPath()).get()));
  const auto reports = MergeTogether(store.get(), shards);
  ASSERT_OK(reports.status());
  ASSERT_EQ(reports->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*reports)[i].shaders, 1);
    EXPECT_EQ((*reports)[i].fragments, i == 0 ? 2 : 1);
    EXPECT_EQ((*reports)[i].sites, 2);
  }
  EXPECT_EQ(MergeTogether(store.get(), std::vector<std::string>(kMostShards + 1, shards[0])).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// If several fragments produce the same rule, the fragment with the smallest digest determines the rule's fields, as in
// a single process (discovery_record.cc).
TEST(MergeTest, ARuleIsAsItsLeastFragmentGaveIt) {
  const ir::Digest least = std::min(D("f"), D("g")), other = std::max(D("f"), D("g"));
  for (const bool first : {false, true}) {
    const std::string path = NewPath("shard.db");
    auto store = OpenStore(NewPath());
    RuleRecord rule = RuleOf("s", "r");
    rule.fragment = least;
    rule.detail = "a";
    {
      auto shard = OpenStore(path);
      ASSERT_OK(RuleStore(first ? store.get() : shard.get()).PutRule(rule));
    }
    rule.fragment = other;
    rule.detail = "z";
    {
      auto shard = OpenStore(path);
      ASSERT_OK(RuleStore(first ? shard.get() : store.get()).PutRule(rule));
    }
    ASSERT_OK(Merge(store.get(), path).status());
    const auto merged = RuleStore(store.get()).GetRule(rule.id.hex());
    ASSERT_OK(merged.status());
    EXPECT_EQ(merged->detail, "a");
    EXPECT_EQ(merged->fragment, least);
    EXPECT_EQ(*Merge(store.get(), path), MergeReport());
  }
}

// Returns a shard that contains a shader and all kinds of records about a rule.
std::string ShardWithRule() {
  const std::string path = NewPath("shard.db");
  auto shard = OpenStore(path);
  EXPECT_OK(CorpusStore(shard.get()).PutSource("a", false));
  EXPECT_OK(CorpusStore(shard.get()).PutShader(Shader("x"), {"a", "x"}, {Site("f", 1)}));
  const RuleRecord rule = RuleOf("s", "r");
  VerdictRecord verdict = VerdictOf("r", v1::VERDICT_PROVED);
  verdict.rule = rule.id;
  EXPECT_OK(SearchStore(shard.get()).PutVerdict(verdict));
  EXPECT_OK(RunStore(shard.get()).CreateRun(RunOf("night", 5)));
  RuleStore rules(shard.get());
  EXPECT_OK(rules.PutRule(rule));
  EXPECT_OK(rules.SetStateInRun(rule.id, v1::RULE_STATE_KEPT, "", "night"));
  MeasurementRecord measurement;
  measurement.rule = rule.id;
  EXPECT_OK(rules.PutMeasurement(measurement));
  EXPECT_OK(rules.PutHits(rule.id, {{D("x"), 1, 1, 1, {3}}}));
  return path;
}

std::set<std::string> TablesWithRows(Store* store) {
  std::set<std::string> tables;
  EXPECT_OK(Dump(store, [&](absl::string_view line) {
    tables.insert(std::string(line.substr(0, line.find(' '))));
    return absl::OkStatus();
  }));
  return tables;
}

TEST(MergeTest, OfTheCorpusAloneTakesNoWordOfRules) {
  auto store = OpenStore(NewPath());
  const absl::Status forged = Merge(store.get(), ShardWithRule(), {.corpus_only = true}).status();
  EXPECT_EQ(forged.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(forged.message().find("2 rules and verdicts, but only shaders are expected"), absl::string_view::npos)
      << forged;
  EXPECT_TRUE(TablesWithRows(store.get()).empty());
  // Runs and candidates contain no claims, so they are allowed but not merged.
  const std::string path = NewPath("shard.db");
  {
    auto shard = OpenStore(path);
    ASSERT_OK(CorpusStore(shard.get()).PutSource("a", false));
    ASSERT_OK(CorpusStore(shard.get()).PutShader(Shader("x"), {"a", "x"}, {Site("f", 1)}));
    ASSERT_OK(SearchStore(shard.get()).PutCandidate(Candidate("(a, b)")));
    ASSERT_OK(RunStore(shard.get()).CreateRun(RunOf("night", 5)));
  }
  ASSERT_OK(Merge(store.get(), path, {.corpus_only = true}).status());
  EXPECT_EQ(TablesWithRows(store.get()),
            (std::set<std::string>{"sources", "shaders", "occurrences", "notes", "fragments", "sites"}));
}

TEST(MergeTest, OfARefusedRuleNothingIsTaken) {
  auto store = OpenStore(NewPath());
  const std::string shard = ShardWithRule();
  ASSERT_OK(Merge(store.get(), shard, {.refused = {RuleOf("s", "r").id}}).status());
  EXPECT_EQ(TablesWithRows(store.get()),
            (std::set<std::string>{"sources", "shaders", "occurrences", "notes", "fragments", "sites", "runs"}));
  ASSERT_OK(Merge(store.get(), shard, {.refused = {D("another")}}).status());
  const std::set<std::string> all = TablesWithRows(store.get());
  for (const char* table : {"rules", "verdicts", "measurements", "hits", "run_changes"}) {
    EXPECT_TRUE(all.contains(table)) << table;
  }
}

TEST(MergeTest, ShardsThatLieAboutTheirContentAreRefused) {
  for (const auto& [doctor, text] : {
           std::pair{"UPDATE fragments SET text = '(''fadd@32'', ''a@32'', ''a@32'')'", "does not match its text"},
           std::pair{"CREATE VIEW shown AS SELECT * FROM fragments", "its view \"shown\" is foreign"},
           std::pair{"CREATE TRIGGER t AFTER INSERT ON rules BEGIN DELETE FROM rules; END",
                     "its trigger \"t\" is foreign"},
       }) {
    const std::string shard = ShardWithRule();
    {
      auto database = sqlite::Database::Open(shard, OpenMode::kReadWrite, absl::Seconds(1));
      ASSERT_OK((*database)->Script(doctor));
    }
    auto store = OpenStore(NewPath());
    const auto report = Merge(store.get(), shard);
    EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition) << doctor;
    EXPECT_NE(report.status().message().find(text), absl::string_view::npos) << report.status();
    EXPECT_TRUE(TablesWithRows(store.get()).empty());
  }
}

TEST(MergeTest, WrongShardsAreRefusedAndChangeNothing) {
  const std::string path = NewPath();
  auto store = OpenStore(path);
  ASSERT_OK(CorpusStore(store.get()).PutSource("a", false));
  const std::string before = DumpOf(store.get());
  const auto refused = [&](const std::string& shard, absl::StatusCode code, absl::string_view text) {
    const auto report = Merge(store.get(), shard);
    EXPECT_EQ(report.status().code(), code) << report.status();
    EXPECT_NE(report.status().message().find(text), absl::string_view::npos) << report.status();
  };
  refused(NewPath(), absl::StatusCode::kNotFound, "no such database");
  refused(path, absl::StatusCode::kFailedPrecondition, "is the database to merge into");

  const std::string text = NewPath();
  std::ofstream(text) << std::string(4096, 'x');
  refused(text, absl::StatusCode::kInvalidArgument, "not a database");

  const std::string old = NewPath();
  {
    auto database = sqlite::Database::Open(old, OpenMode::kCreate, absl::Seconds(1));
    ASSERT_OK(Migrate(**database, 1));
  }
  refused(old, absl::StatusCode::kFailedPrecondition, "schema version 1");

  const std::string foreign = NewPath();
  {
    auto database = sqlite::Database::Open(foreign, OpenMode::kCreate, absl::Seconds(1));
    ASSERT_OK((*database)->Script("CREATE TABLE bookmarks (url TEXT)"));
  }
  refused(foreign, absl::StatusCode::kFailedPrecondition, "another application");

  auto transaction = ScopedTransaction::Begin(store.get());
  const std::string good = NewPath();
  OpenStore(good).reset();
  refused(good, absl::StatusCode::kFailedPrecondition, "transaction open");
  transaction->reset();
  ExpectSameDump(DumpOf(store.get()), before);
}

}  // namespace
}  // namespace rewrought::store
