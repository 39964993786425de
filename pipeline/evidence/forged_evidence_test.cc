// Tests that forged evidence against a rule has no effect: neither a merge nor a doctored database removes a rule from
// an export, and RepairRules restores every rule that can be proved again.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "machine/semantics.h"
#include "pipeline/evidence/merge_verified.h"
#include "pipeline/minimise_rules.h"
#include "pipeline/repair_rules.h"
#include "pipeline/testing/evidence_testing.h"
#include "store/maintenance/check.h"
#include "store/rule_store.h"
#include "store/search_store.h"

namespace rewrought::pipeline {
namespace {

class ForgedEvidenceTest : public EvidenceTest {
 protected:
  // Creates a database with one verified rule of each kind.
  void SetUp() override {
    EvidenceTest::SetUp();
    std::unique_ptr<store::Store> store = OpenStore("good.db");
    PutClaimed(CandidateOf(kTrueFloat), Shown(kTrueFloat), store.get());
    PutClaimed(CandidateOf(kTrueInteger), Shown(kTrueInteger), store.get());
    PutClaimed(CandidateOf(kTrueInexact), Shown(kTrueInexact, v1::RULE_CLASS_INEXACT), store.get());
    ASSERT_EQ(Exported(store.get()), 3u);
  }

  size_t Exported(store::Store* store) {
    const absl::StatusOr<ExportReport> report = ExportPack(store, *machine_, Path("out"), ExportOptions(solvers_));
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok()) return 0;
    for (const emitter::BlockedRule& blocked : report->blocked) EXPECT_EQ(blocked.reason, "") << blocked.id;
    return report->exported;
  }

  // Returns a copy of the good database, changed by `sql`.
  std::string Doctored(const std::string& sql) {
    const std::string path = Path(absl::StrCat("doctored", ++copies_, ".db"));
    fs::copy_file(Path("good.db"), path);
    std::unique_ptr<store::Store> store = store::Store::Open(path).value();
    const absl::Status run = store->Write([&](store::sqlite::Database& writer) { return writer.Script(sql); });
    EXPECT_TRUE(run.ok()) << run;
    return path;
  }

  // Stores refutations of all cases of the three true rules, with made-up witnesses.
  void PutRefutations(store::Store* store) {
    for (const Sample& sample : {kTrueFloat, kTrueInteger, kTrueInexact}) {
      const machine::Candidate candidate = CandidateOf(sample);
      for (const DenormMode mode : {DenormMode::kAny, DenormMode::kFlush, DenormMode::kPreserve, DenormMode::kNone}) {
        verifier::CaseResult result;
        result.verdict = v1::VERDICT_REFUTED;
        result.tier = v1::TIER_VECTORS;
        result.witness = verifier::Witness{{{"a", 32, 1}, {"b", 32, 2}}, {7}, 32, {}, {}};
        const ir::Digest semantics = machine::SemanticsOf(*machine_);
        const v1::CaseVerdict proto = verifier::CaseProto(candidate.search, mode, result, semantics.hex());
        const std::string key = verifier::CaseKey(candidate.search, mode);
        EXPECT_TRUE(store::SearchStore(store)
                        .PutVerdict(RecordOf(machine::CandidateId(candidate), semantics, key, proto))
                        .ok());
      }
    }
  }

  int copies_ = 0;
};

TEST_F(ForgedEvidenceTest, NoMergeTakesARefutationOnTrust) {
  {
    std::unique_ptr<store::Store> shard = OpenStore("refutations.db");
    PutRefutations(shard.get());
  }
  // This shard also has the rules, but with states, classes, or semantics that count against them.
  for (const char* sql : {"UPDATE rules SET state = 5, reason = 'refuted'", "UPDATE rules SET state = 4",
                          "UPDATE rules SET class = 3 - class",
                          "UPDATE rules SET semantics = x'"
                          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
                          "'",
                          "UPDATE verdicts SET tier = 'zz', certificate = x'ff'; UPDATE rules SET detail = x'ff', "
                          "condition = 'false'"}) {
    SCOPED_TRACE(sql);
    std::unique_ptr<store::Store> store = store::Store::Open(Doctored("SELECT 1")).value();
    const std::vector<std::string> shards = {Path("refutations.db"), Doctored(sql)};
    size_t contradictions = 0;
    const absl::Status merged =
        MergeAllVerified(store.get(), shards, Verifier(), {}, [&](size_t, const VerifiedMergeReport& report) {
          contradictions += static_cast<size_t>(report.merged.contradictions);
          EXPECT_TRUE(report.refused.empty());
        });
    ASSERT_TRUE(merged.ok()) << merged;
    EXPECT_EQ(contradictions, 0u);
    for (const Sample& sample : {kTrueFloat, kTrueInteger, kTrueInexact}) {
      const auto rule = store::RuleStore(store.get()).GetRule(machine::CandidateId(CandidateOf(sample)).hex());
      ASSERT_TRUE(rule.ok()) << rule.status();
      EXPECT_EQ(rule->state, v1::RULE_STATE_NEW);
      EXPECT_EQ(rule->condition, "");
      EXPECT_EQ(rule->semantics, machine::SemanticsOf(*machine_));
    }
    EXPECT_EQ(Exported(store.get()), 3u);
  }
}

// A shard that contains only refutations, and no rules, is not trusted either.
TEST_F(ForgedEvidenceTest, NoMergeTakesARefutationWithoutARule) {
  {
    std::unique_ptr<store::Store> shard = OpenStore("refutations.db");
    PutRefutations(shard.get());
    ASSERT_TRUE(shard
                    ->Write([](store::sqlite::Database& writer) {
                      return writer.Run("INSERT INTO contradictions SELECT rule, case_id, semantics FROM verdicts");
                    })
                    .ok());
  }
  std::unique_ptr<store::Store> store = OpenStore("good.db");
  const absl::Status merged = MergeAllVerified(store.get(), {Path("refutations.db")}, Verifier(), {},
                                               [](size_t, const VerifiedMergeReport& report) {
                                                 EXPECT_EQ(report.merged.verdicts, 0);
                                                 EXPECT_EQ(report.merged.contradictions, 0);
                                               });
  ASSERT_TRUE(merged.ok()) << merged;
  // The merge took no verdict from the shard, so the export needs no solver.
  const absl::StatusOr<ExportReport> report = ExportPack(store.get(), *machine_, Path("out"), ExportOptions({}));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->verified, 0u);
  EXPECT_EQ(report->exported, 3u);
}

// Each of these changes once removed a rule from the export, most of them permanently.
constexpr const char* kAttacks[] = {
    "UPDATE rules SET state = 3",                      // lost
    "UPDATE rules SET state = 4",                      // waived
    "UPDATE rules SET state = 5, reason = 'refuted'",  // refuted
    "UPDATE rules SET state = 77",
    "UPDATE rules SET class = 3 - class",
    "UPDATE rules SET class = 9",
    "UPDATE rules SET semantics = zeroblob(32)",
    "UPDATE rules SET condition = 'false', flags = 31, detail = x''",
    "DELETE FROM verdicts",
    "UPDATE verdicts SET certificate = x'ff'",
    "UPDATE verdicts SET verdict = 5",
    "UPDATE measurements SET tuned_cycles = -9",
    "UPDATE measurements SET tuned_cycles = 0, tuned_instructions = 0, hits = 12",
};

TEST_F(ForgedEvidenceTest, NoDoctoredDatabaseShrinksAnExport) {
  for (const char* sql : kAttacks) {
    SCOPED_TRACE(sql);
    std::unique_ptr<store::Store> store = store::Store::Open(Doctored(sql)).value();
    EXPECT_EQ(Exported(store.get()), 3u);
  }
  // A rule is redundant only if it follows from the others.
  std::unique_ptr<store::Store> marked = store::Store::Open(Doctored("SELECT 1")).value();
  ASSERT_TRUE(MarkDerivedRules(marked.get(), *machine_).ok());
  std::unique_ptr<store::Store> derived = store::Store::Open(Doctored("UPDATE rules SET state = 6")).value();
  const size_t exported = Exported(derived.get());
  EXPECT_GT(exported, 0u);
  EXPECT_EQ(exported, Exported(marked.get()));
  // Replace every proof with a refutation.
  std::unique_ptr<store::Store> store = store::Store::Open(Doctored("DELETE FROM verdicts")).value();
  PutRefutations(store.get());
  EXPECT_EQ(Exported(store.get()), 3u);
}

TEST_F(ForgedEvidenceTest, RepairRestoresEveryRule) {
  const std::string path = Doctored(
      "DELETE FROM verdicts; UPDATE rules SET state = 5, class = 3 - class, semantics = zeroblob(32);"
      "INSERT INTO strings (id, text) VALUES (99999, 'forged');");
  {
    std::unique_ptr<store::Store> store = store::Store::Open(path).value();
    PutRefutations(store.get());
    PutClaimed(CandidateOf(kFalseFloat), Shown(kTrueFloat), store.get());
    ASSERT_TRUE(store
                    ->Write([](store::sqlite::Database& writer) {
                      return writer.Run(
                          "INSERT INTO contradictions SELECT rule, case_id, semantics FROM verdicts "
                          "WHERE verdict = 5");
                    })
                    .ok());
    const absl::StatusOr<RepairReport> report = RepairRules(store.get(), Verifier(), nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->rules, 4u);
    EXPECT_EQ(report->restored.size(), 3u);
    ASSERT_EQ(report->failed.size(), 1u);
    EXPECT_EQ(report->failed[0].id, machine::CandidateId(CandidateOf(kFalseFloat)).hex());
    EXPECT_NE(report->failed[0].reason.find("refuted in mode"), std::string::npos) << report->failed[0].reason;
    EXPECT_GT(report->contradictions, 0u);
    // Some of the rules follow from the others. The false rule is not proved again, because this program has noted that
    // it does not hold.
    EXPECT_EQ(Exported(store.get()), CountDerivedRules(store.get(), *machine_)->minimal);
    const absl::StatusOr<RepairReport> again = RepairRules(store.get(), RuleVerifier({}, {}), nullptr);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->verified, 0u);
    EXPECT_TRUE(again->failed.empty());
  }
  const auto checked = store::CheckDatabase(path, {});
  ASSERT_TRUE(checked.ok()) << checked.status();
  for (const store::Fault& fault : checked->faults) ADD_FAILURE() << fault.what;
}

}  // namespace
}  // namespace rewrought::pipeline
