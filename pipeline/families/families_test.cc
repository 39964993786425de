#include "pipeline/families/families.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "pipeline/families/proposals.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "store/testing/store_testing.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kMachine[] = "ir3_a6xx";

store::HitRecord Hit(const store::ShaderRecord& shader, int64_t hits) {
  store::HitRecord hit;
  hit.shader = shader.digest;
  hit.hits = hits;
  return hit;
}

class FamiliesTest : public ::testing::Test {
 protected:
  // Stores a rule that applies in `shaders` discovery shaders, which are distributed over `sources` sources, and in one
  // held-out shader.
  void AddRule(const std::string& search, const std::string& replace, int shaders, int sources,
               store::Store* store = nullptr) {
    if (store == nullptr) store = store_.get();
    const absl::StatusOr<machine::Candidate> candidate = CandidateOfTexts(kMachine, search, replace, "");
    ASSERT_TRUE(candidate.ok()) << candidate.status();
    store::RuleRecord rule = RecordOfRule(ir::Digest(), *candidate, {});
    rule.fragment.reset();
    store::RuleStore rules(store);
    ASSERT_OK(rules.PutRule(rule));
    store::CorpusStore corpus(store);
    for (int i = 0; i < sources; ++i) ASSERT_OK(corpus.PutSource(absl::StrCat("source", i), /*held_out=*/false));
    ASSERT_OK(corpus.PutSource("held out", true));
    const store::ShaderRecord unseen = store::Shader(absl::StrCat(search, " held out"));
    ASSERT_OK(corpus.PutShader(unseen, {"held out", "shader"}, {}));
    std::vector<store::HitRecord> hits = {Hit(unseen, 1)};
    for (int i = 0; i < shaders; ++i) {
      const store::ShaderRecord shader = store::Shader(absl::StrCat(search, i));
      ASSERT_OK(corpus.PutShader(shader, {absl::StrCat("source", i % sources), absl::StrCat("shader", i)}, {}));
      hits.push_back(Hit(shader, 2));
    }
    ASSERT_OK(rules.PutHits(rule.id, hits));
    store::MeasurementRecord measured;
    measured.rule = rule.id;
    measured.split = store::Split::kDiscovery;
    measured.hits = 2 * shaders;
    measured.tuned_cycles = measured.tuned_instructions = shaders;
    ASSERT_OK(rules.PutMeasurement(measured));
  }

  FamilyReport Find(const FamilyOptions& options = DefaultOptions()) {
    absl::StatusOr<FamilyReport> report = FindFamilies({store_.get(), other_.get()}, prover_, options);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(FamilyReport());
  }

  static FamilyOptions DefaultOptions() {
    FamilyOptions options;
    options.target = &emitter::AllNirTargets().back();
    return options;
  }

  static std::vector<std::string> MembersOf(const RuleFamily& family) {
    std::vector<std::string> texts;
    for (const ir::Rule& member : family.members)
      texts.push_back(ir::DisplayRule(member, ir::SizeOptionsIn(ir::Dialect::kNir26)));
    return texts;
  }

  const std::unique_ptr<store::Store> store_ = store::OpenStore(store::NewPath());
  const std::unique_ptr<store::Store> other_ = store::OpenStore(store::NewPath());
  const verifier::Prover prover_{*verifier::OpenSolvers({.workers = 1}), {}};
};

TEST_F(FamiliesTest, OneFamilyCoversTheSpecialCasesOfAllDatabases) {
  AddRule("('imul@32', 'a@32', 0x8@32)", "('ishl@32', 'a@32', 0x3@32)", 20, 2);
  AddRule("('imul@32', 'a@32', 0x10@32)", "('ishl@32', 'a@32', 0x4@32)", 5, 4);
  AddRule("('imul@16', 'a@16', 0x10@16)", "('ishl@16', 'a@16', 0x4@32)", 1, 1, other_.get());
  const FamilyReport report = Find();
  EXPECT_THAT(report.left_out, IsEmpty());
  ASSERT_EQ(report.families.size(), 1);
  const RuleFamily& family = report.families[0];
  EXPECT_THAT(MembersOf(family),
              ElementsAre("(('imul', 'a', '#b(is_pos_power_of_two)'), ('ishl', 'a', ('find_lsb', 'b')))"));
  EXPECT_EQ(family.instances.size(), 3);
  EXPECT_EQ(family.support.shaders.size(), 26);
  EXPECT_THAT(family.support.sources, ElementsAre("source0", "source1", "source2", "source3"));
  EXPECT_EQ(family.support.sites, 52);
}

TEST_F(FamiliesTest, RareFamiliesAreLeftOut) {
  AddRule("('imul@32', 'a@32', 0x8@32)", "('ishl@32', 'a@32', 0x3@32)", 20, 2);
  AddRule("('udiv@32', 'a@32', 0x8@32)", "('ushr@32', 'a@32', 0x3@32)", 9, 3);
  const FamilyReport report = Find();
  EXPECT_THAT(report.families, IsEmpty());
  ASSERT_EQ(report.left_out.size(), 2);
  EXPECT_EQ(report.left_out[0].reason, "the family applies in 20 shaders of 2 sources");
  EXPECT_EQ(report.left_out[1].reason, "the family applies in 9 shaders of 3 sources");
}

TEST_F(FamiliesTest, WrongRulesFoundNoFamily) {
  AddRule("('imul@32', 'a@32', 0x8@32)", "('ishl@32', 'a@32', 0x2@32)", 20, 3);
  const FamilyReport report = Find();
  EXPECT_THAT(report.families, IsEmpty());
  ASSERT_EQ(report.left_out.size(), 1);
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("the rule is not proved: refuted at 32 bits by a = "));
}

TEST_F(FamiliesTest, RulesThatTheTreeCannotExpressAreLeftOut) {
  AddRule("('iadd@32', ('iadd@32', 'a@32', 'b@32(is_shared_with_outer)'), 'c@32')",
          "('iadd@32', 'a@32', ('iadd@32', 'b@32', 'c@32'))", 20, 3);
  const FamilyReport report = Find();
  EXPECT_THAT(report.families, IsEmpty());
  ASSERT_EQ(report.left_out.size(), 1);
  EXPECT_EQ(report.left_out[0].reason, "the tree has no predicate is_shared_with_outer");
}

// has_iadd3 does not promise iadd3 at 64 bits.
TEST_F(FamiliesTest, ConditionsHoldAtEverySizeOfARule) {
  AddRule("('iadd@32', ('iadd@32', 'a@32', 'b@32'), 'c@32')", "('iadd3@32', 'a@32', 'b@32', 'c@32')", 20, 3);
  const FamilyReport report = Find();
  ASSERT_EQ(report.families.size(), 1);
  for (const std::string& member : MembersOf(report.families[0]))
    EXPECT_THAT(member, AllOf(HasSubstr("'options->has_iadd3'"), Not(HasSubstr("@64")), HasSubstr("@")));
}

TEST_F(FamiliesTest, InexactRulesAreGeneralizedOverTheReals) {
  AddRule("('~fmul@32', ('fadd@32', '#c@32', 'a@32'), '#d@32')",
          "('fadd@32', ('fmul@32', 'a@32', 'd@32'), ('fmul@32', 'c@32', 'd@32'))", 20, 3);
  // The sum of the products may cancel.
  FamilyReport report = Find();
  EXPECT_THAT(report.families, IsEmpty());
  ASSERT_EQ(report.left_out.size(), 1);
  EXPECT_EQ(report.left_out[0].reason, "it is not shown to be as accurate as the code it replaces");
  FamilyOptions options = DefaultOptions();
  options.cancelling = true;
  report = Find(options);
  ASSERT_EQ(report.families.size(), 1);
  EXPECT_THAT(MembersOf(report.families[0])[0], AllOf(HasSubstr("~fmul"), Not(HasSubstr("@"))));
}

TEST_F(FamiliesTest, AStopEndsTheSearch) {
  AddRule("('imul@32', 'a@32', 0x8@32)", "('ishl@32', 'a@32', 0x3@32)", 20, 3);
  std::stop_source source;
  source.request_stop();
  FamilyOptions options = DefaultOptions();
  options.stop = source.get_token();
  const FamilyReport report = Find(options);
  EXPECT_TRUE(report.stopped);
  EXPECT_THAT(report.families, IsEmpty());
}

TEST_F(FamiliesTest, ProposalsNameThePatternAndItsUse) {
  AddRule("('imul@32', 'a@32', 0x8@32)", "('ishl@32', 'a@32', 0x3@32)", 20, 3);
  EXPECT_EQ(ProposalsToml(Find().families, ir::Dialect::kNir26),
            "# Proposals for `rewrought propose --add`, written by `rewrought families`.\n"
            "\n"
            "[[proposal]]\n"
            "subject = \"optimize imul(a, #b)\"\n"
            "reason = \"\"\"\n"
            "The pattern occurs 40 times in 20 shaders of source0, source1, and source2.\"\"\"\n"
            "[[proposal.insert]]\n"
            "list = \"optimizations\"\n"
            "rules = \"\"\"\n"
            "optimizations += [\n"
            "   (('imul', a, '#b(is_pos_power_of_two)'), ('ishl', a, ('find_lsb', b))),\n"
            "]\n"
            "\"\"\"\n");
}

TEST(FamilyStatementsTest, BreaksLongTuples) {
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(
      "(('~fadd', ('fadd(is_used_once)', ('fmul(is_used_once)', ('fmul', a, b), c), d), ('fmul(is_used_once)', "
      "('fmul(is_used_once)', 'e', b), 'f')), ('fadd', ('fmul', b, ('fadd', ('fmul', a, c), ('fmul', 'e', 'f'))), d))");
  ASSERT_TRUE(rule.ok()) << rule.status();
  RuleFamily family;
  family.members = {*rule};
  EXPECT_EQ(FamilyStatements(family, ir::Dialect::kNir25),
            "optimizations += [\n"
            "   (('~fadd', ('fadd(is_used_once)', ('fmul(is_used_once)', ('fmul', a, b), c), d),\n"
            "      ('fmul(is_used_once)', ('fmul(is_used_once)', 'e', b), 'f')),\n"
            "    ('fadd', ('fmul', b, ('fadd', ('fmul', a, c), ('fmul', 'e', 'f'))), d)),\n"
            "]\n");
}

}  // namespace
}  // namespace rewrought::pipeline
