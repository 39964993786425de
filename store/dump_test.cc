#include "store/dump.h"

#include <set>

#include "absl/strings/str_split.h"
#include "corpus/site_record.h"
#include "store/testing/store_testing.h"

namespace rewrought::store {
namespace {

void FillAll(Store* store) {
  CorpusStore corpus(store);
  SearchStore search(store);
  RuleStore rules(store);
  ASSERT_OK(corpus.PutSource("a", false));
  ASSERT_OK(corpus.PutShader(Shader("x"), {"a", "x.frag"}, {Site("f", 1, "number")}));
  ASSERT_OK(RunStore(store).CreateRun(RunOf("night", 5)));
  AttemptRecord attempt;
  attempt.key = {D("f"), "intel_gen9", D("semantics"), D("search")};
  ASSERT_OK(search.PutAttempt(attempt));
  ASSERT_OK(search.PutCandidate(Candidate("(a, b)")));
  ASSERT_OK(search.PutVerdict(VerdictOf("r", v1::VERDICT_PROVED)));
  ASSERT_OK(search.PutVerdict(VerdictOf("r", v1::VERDICT_REFUTED)));
  const RuleRecord rule = RuleOf("s", "r");
  ASSERT_OK(rules.PutRule(rule));
  MeasurementRecord measurement;
  measurement.rule = rule.id;
  ASSERT_OK(rules.PutMeasurement(measurement));
  v1::RuleTrial trial;
  trial.set_driver("ir3-a630");
  ASSERT_OK(rules.PutTrial(rule.id, trial));
  v1::DriverTrial driver;
  driver.set_driver("ir3-a630");
  ASSERT_OK(rules.ReplaceTrials({driver}, {}).status());
  ASSERT_OK(rules.PutHits(rule.id, {{D("x"), 1, 1, 1, {3}}}));
  ASSERT_OK(rules.SetStateInRun(rule.id, v1::RULE_STATE_KEPT, "", "night"));
}

TEST(DumpTest, EveryTableIsDumped) {
  auto store = OpenStore(NewPath());
  FillAll(store.get());
  std::set<std::string> dumped;
  ASSERT_OK(Dump(store.get(), [&](absl::string_view line) {
    dumped.insert(std::string(line.substr(0, line.find(' '))));
    return absl::OkStatus();
  }));
  std::set<std::string> tables;
  ASSERT_OK(store->Read([&](sqlite::Database& database) {
    return database.Query("SELECT name FROM sqlite_schema WHERE type = 'table'", {}, [&](const sqlite::Row& row) {
      tables.insert(row.String(0));
      return absl::OkStatus();
    });
  }));
  tables.erase("strings");      // its strings are shown where they are used
  tables.erase("verified");     // its records are specific to one installation
  tables.erase("stale_sites");  // it names invisible rows
  EXPECT_EQ(tables.erase("site_blocks"), 1u);
  tables.insert("sites");  // a view of site_blocks
  EXPECT_EQ(dumped, tables);
}

TEST(DumpTest, OrderOfWritesDoesNotMatter) {
  auto one = OpenStore(NewPath()), two = OpenStore(NewPath());
  for (const bool forward : {true, false}) {
    CorpusStore corpus((forward ? one : two).get());
    ASSERT_OK(corpus.PutSource(forward ? "a" : "b", false));
    ASSERT_OK(corpus.PutSource(forward ? "b" : "a", false));
    const corpus::SiteRecord f = Site("f", 1, "number"), g = Site("g", 2, "finite");
    for (const int i : {0, 1}) {
      const bool x = (i == 0) == forward;
      ASSERT_OK(
          corpus.PutShader(Shader(x ? "x" : "y"), {x ? "a" : "b", "n"},
                           forward ? std::vector<corpus::SiteRecord>{f, g} : std::vector<corpus::SiteRecord>{g, f}));
    }
  }
  ExpectSameDump(DumpOf(one.get()), DumpOf(two.get()));
}

}  // namespace
}  // namespace rewrought::store
