#include "pipeline/generalize/generalize.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/dialect/reading.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "pipeline/generalize/constant_symbols.h"
#include "pipeline/generalize/coverage.h"
#include "pipeline/generalize/family_text.h"
#include "pipeline/generalize/rule_edit.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

const verifier::Prover& TestProver() {
  static const auto& prover = *new verifier::Prover(*verifier::OpenSolvers({.workers = 1}), {});
  return prover;
}

ir::Rule Parse(const std::string& text) {
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return rule.value_or(ir::Rule());
}

GeneralizedRule Generalized(const std::string& text, bool families = false) {
  GeneralizeOptions options;
  options.families = families;
  absl::StatusOr<GeneralizedRule> result = Generalize(TestProver(), Parse(text), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(GeneralizedRule());
}

std::vector<std::string> TextsOf(const std::vector<ir::Rule>& rules) {
  std::vector<std::string> texts;
  for (const ir::Rule& rule : rules) texts.push_back(ir::DisplayRule(rule));
  return texts;
}

std::vector<std::string> MembersOf(const std::string& text, bool families = false) {
  return TextsOf(Generalized(text, families).members);
}

TEST(GeneralizeTest, ReplacesConstantsByVariablesAndOpensSizes) {
  EXPECT_THAT(MembersOf("(('iadd', ('iadd', 'a@32', 3), 5), ('iadd', a, 8))"),
              ElementsAre("(('iadd', ('iadd', 'a', '#b'), '#c'), ('iadd', 'a', ('iadd', 'b', 'c')))"));
  EXPECT_THAT(MembersOf("(('udiv', 'a@32', 16), ('ushr', a, 4))"),
              ElementsAre("(('udiv', 'a', '#b(is_pos_power_of_two)'), ('ushr', 'a', ('find_lsb', 'b')))"));
}

TEST(GeneralizeTest, RemovesTermsThatTheRuleDoesNotNeed) {
  EXPECT_THAT(MembersOf("(('bcsel', ('flt', 'a@32', 'b@32'), ('iadd', 'c@32', 1), ('iadd', c, 1)), ('iadd', c, 1))"),
              ElementsAre("(('bcsel', 'a', 'b', 'b'), 'b')"));
  EXPECT_THAT(MembersOf("(('bcsel', ('ine', 'a@32', a), 'b@32', 'c@32'), c)"),
              ElementsAre("(('ine', 'a', 'a'), False)"));
}

TEST(GeneralizeTest, DropsFlagsAndConditionsThatAreNotNeeded) {
  EXPECT_THAT(MembersOf("(('fabs(nsz,nnan)', ('fneg', 'a@32')), ('fabs', a))"),
              ElementsAre("(('fabs', ('fneg', 'a')), ('fabs', 'a'))"));
  EXPECT_THAT(
      MembersOf("(('ieq', ('iadd@32(is_used_once)', ('ineg(is_used_once)', 'a@32'), 'b@32'), 0), ('ieq', a, b))"),
      ElementsAre("(('ieq', ('iadd', ('ineg', 'a'), 'b'), 0), ('ieq', 'a', 'b'))"));
}

TEST(GeneralizeTest, KeepsIsUsedOnceWhereTheRuleWouldAddInstructions) {
  const GeneralizedRule result = Generalized(
      "(('iadd', ('imul(is_used_once)', 'a@32', 'b@32'), ('imul(is_used_once)', a, 'c@32')),"
      " ('imul', a, ('iadd', b, c)))");
  const std::string text = ir::DisplayRule(result.members[0]);
  EXPECT_NE(text.find("is_used_once"), std::string::npos) << text;
  ASSERT_FALSE(result.kept.empty());
  EXPECT_THAT(result.kept[0].reason, HasSubstr("the rule adds 2 instructions and removes 1"));
}

TEST(GeneralizeTest, AdaptsConstantsToTheSize) {
  EXPECT_THAT(MembersOf("(('iand', ('ishr', 'a@32', 31), 1), ('ushr', a, 31))"),
              ElementsAre("(('iand', ('ishr', 'a@8', 7), 1), ('ushr', 'a', 7))",
                          "(('iand', ('ishr', 'a@16', 15), 1), ('ushr', 'a', 15))",
                          "(('iand', ('ishr', 'a@32', 31), 1), ('ushr', 'a', 31))",
                          "(('iand', ('ishr', 'a@64', 63), 1), ('ushr', 'a', 63))"));
}

TEST(GeneralizeTest, FindsTheFamilyAndOnlyProvedMembers) {
  const std::vector<std::string> members =
      MembersOf("(('iand', ('ilt', 'a@32', 'b@32'), ('ilt', a, 'c@32')), ('ilt', a, ('imin', b, c)))", true);
  EXPECT_THAT(members,
              IsSupersetOf({"(('ior', ('ilt', 'a', 'b'), ('ilt', 'a', 'c')), ('ilt', 'a', ('imax', 'b', 'c')))",
                            "(('iand', ('ult', 'a', 'b'), ('ult', 'a', 'c')), ('ult', 'a', ('umin', 'b', 'c')))"}));
  // Exchanging only minimum and maximum yields a wrong rule.
  EXPECT_THAT(members,
              Not(Contains("(('iand', ('ilt', 'a', 'b'), ('ilt', 'a', 'c')), ('ilt', 'a', ('imax', 'b', 'c')))")));
  for (const std::string& text : members) {
    const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(TestProver(), Parse(text), {});
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_EQ(verdict->verdict, v1::VERDICT_PROVED) << text;
  }
}

TEST(GeneralizeTest, SaysWhyAPartIsKept) {
  const GeneralizedRule result = Generalized("(('fadd(nsz)', 'a@32', 0.0), a)");
  ASSERT_FALSE(result.kept.empty());
  EXPECT_EQ(result.kept[0].part, "n0:nsz");
  EXPECT_THAT(result.kept[0].reason, AllOf(HasSubstr("refuted at 32 bits by"), HasSubstr("a = -0.0")));
}

TEST(GeneralizeTest, RefusesWrongRules) {
  const auto result = Generalize(TestProver(), Parse("(('iadd', 'a@32', 1), a)"), {});
  EXPECT_TRUE(absl::IsFailedPrecondition(result.status())) << result.status();
  EXPECT_THAT(result.status().message(), HasSubstr("refuted at 32 bits by a = "));
}

TEST(GeneralizeTest, KeepsTheSizesOfInnerTerms) {
  EXPECT_EQ(MembersOf("(('iadd', 'a@32', ('iand', ('ishr', 'b', 31), 1)), ('iadd', a, ('ushr', 'b', 31)))"),
            MembersOf("(('iand', ('ishr', 'a@32', 31), 1), ('ushr', a, 31))"));
}

TEST(GeneralizeTest, WritesSizesThatOnlyNir26Needs) {
  GeneralizeOptions options;
  options.check.dialect = ir::Dialect::kNir26;
  const ir::Rule rule = *ir::ParseRule("(('ubitfield_extract', 'a@32', 31, 1), ('ushr', 'a', 31))", 1, nullptr,
                                       ir::ResolverOf(ir::Dialect::kNir26));
  const auto result = Generalize(TestProver(), rule, options);
  ASSERT_TRUE(result.ok()) << result.status();
  for (const ir::Rule& member : result->members) {
    const std::string text = ir::DisplayRule(member, ir::SizeOptionsIn(ir::Dialect::kNir26));
    const auto read = ir::ParseRule(text, 1, nullptr, ir::ResolverOf(ir::Dialect::kNir26));
    ASSERT_TRUE(read.ok()) << text;
    const auto verdict = verifier::CheckRule(TestProver(), *read, options.check);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_EQ(verdict->verdict, v1::VERDICT_PROVED) << text;
  }
}

TEST(GeneralizeTest, WeakensPredicatesOnlyToImpliedOnes) {
  EXPECT_THAT(MembersOf("(('fabs', 'a@32(is_finite_not_zero)'), ('fabs', ('fneg', a)))"),
              ElementsAre("(('fabs', 'a'), ('fabs', ('fneg', 'a')))"));
  const std::string text = MembersOf("(('flt', 'a@32(is_gt_zero)', 0.0), False)")[0];
  EXPECT_THAT(text, AnyOf(HasSubstr("is_not_negative"), HasSubstr("is_gt_zero")));
}

TEST(GeneralizeTest, StopsAtTheTimeLimit) {
  GeneralizeOptions options;
  options.limit = std::chrono::milliseconds(20);
  const ir::Rule rule = Parse("(('umod', ('iadd', 'a@32', 'b@32'), 8), ('iand', ('iadd', a, b), 7))");
  const auto result = Generalize(TestProver(), rule, options);
  if (result.ok()) {
    EXPECT_FALSE(result->complete);
    EXPECT_TRUE(Covers(result->members, rule, {}));
  }
}

TEST(GeneralizeTest, GeneralizesAtOwnSizes) {
  const auto rule =
      GeneralizeAtOwnSizes(TestProver(), Parse("(('iadd@16', ('iadd', 'a@16', 3), 5), ('iadd', a, 8))"), {});
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(ir::PrintRule(*rule),
            "(('iadd@16', ('iadd@16', 'a@16', '#b@16'), '#c@16'), "
            "('iadd@16', 'a@16', ('iadd@16', 'b@16', 'c@16')))");
}

TEST(ConditionsOfTest, NeverMixesFloatsAndIntegers) {
  const uint64_t half = 0x3f000000;  // 0.5 as a float, and a multiple of 2^24 as an integer
  EXPECT_THAT(ConditionsOf(half, 32, ir::BaseType::kFloat, ir::Dialect::kNir25),
              AllOf(Contains("is_gt_0_and_lt_1"), Not(Contains("is_unsigned_multiple_of_2"))));
  EXPECT_THAT(
      ConditionsOf(half, 32, ir::BaseType::kInt, ir::Dialect::kNir25),
      AllOf(Contains("is_unsigned_multiple_of_2"), Not(Contains("is_gt_0_and_lt_1")), Not(Contains("is_finite"))));
}

TEST(CoverageTest, ComparesTermsAndConditions) {
  const auto covers = [](const std::string& general, const std::string& special) {
    return Covers({Parse(general)}, Parse(special), {});
  };
  EXPECT_TRUE(covers("(('iand', a, ('ior', a, b)), a)", "(('iand', ('ior', 5, 'a@32'), a), a)"));
  EXPECT_TRUE(covers("(('imul', a, '#b(is_pos_power_of_two)'), ('ishl', a, ('find_lsb', b)))",
                     "(('imul', 'a@32', 8), ('ishl', a, 3))"));
  EXPECT_TRUE(covers("(('ine', a, a), False)", "(('bcsel', ('ine', 'a@32', a), 'b@32', 'c@32'), c)"));
  // A constant, a predicate, a flag, a size, or a repeated variable restricts a rule.
  EXPECT_FALSE(
      covers("(('iadd', a, '#b'), ('isub', a, ('ineg', b)))", "(('iadd', 'a@32', 'b@32'), ('isub', a, ('ineg', b)))"));
  EXPECT_FALSE(covers("(('imul', a, '#b(is_pos_power_of_two)'), ('ishl', a, ('find_lsb', b)))",
                      "(('imul', 'a@32', 6), ('ishl', a, 3))"));
  EXPECT_FALSE(covers("(('fadd(nsz)', a, 0.0), a)", "(('fadd', 'a@32', 0.0), a)"));
  EXPECT_FALSE(covers("(('iand', 'a@16', a), a)", "(('iand', 'a@32', a), a)"));
  EXPECT_FALSE(covers("(('iand', a, a), a)", "(('iand', 'a@32', 'b@32'), a)"));
  // The general rule must not need more instructions.
  EXPECT_FALSE(covers("(('iand', a, b), ('inot', ('ior', ('inot', a), ('inot', b))))", "(('iand', 'a@32', a), a)"));
}

TEST(FamilyTextTest, WritesLoops) {
  EXPECT_EQ(FamilyText({"(('imin', ('imax', 'a', 'b'), 'b'), 'b')", "(('imax', ('imin', 'a', 'b'), 'b'), 'b')",
                        "(('inot', ('inot', 'a')), 'a')"}),
            "for x, y in [('imin', 'imax'), ('imax', 'imin')]:\n"
            "   ((x, (y, 'a', 'b'), 'b'), 'b')\n"
            "(('inot', ('inot', 'a')), 'a')\n");
}

TEST(GeneralizeTest, GeneralizesInexactRulesOverTheReals) {
  const std::string cancelled =
      "(('~fadd', ('fadd', 'a@32', 'b@32'), ('fneg', ('fadd', 'c@32', b))), ('fadd', a, ('fneg', c)))";
  const std::vector<std::string> members = MembersOf(cancelled, /*families=*/true);
  ASSERT_FALSE(members.empty());
  EXPECT_EQ(members[0], "(('~fadd', ('fadd', 'a', 'b'), ('fneg', ('fadd', 'c', 'b'))), ('fadd', 'a', ('fneg', 'c')))");
  // Integer ops do not round.
  EXPECT_THAT(members,
              Contains("(('iadd', ('iadd', 'a', 'b'), ('ineg', ('iadd', 'c', 'b'))), ('iadd', 'a', ('ineg', 'c')))"));
  EXPECT_THAT(members, Not(Contains(HasSubstr("~i"))));
}

TEST(GeneralizeTest, RefusesInexactRulesThatAreWrongOverTheReals) {
  const absl::StatusOr<GeneralizedRule> result =
      Generalize(TestProver(), Parse("(('~fadd', ('fmul', 'a@32', 'b@32'), 'b'), ('fmul', ('fadd', a, 2.0), b))"), {});
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("the rule is not proved: over the reals: refuted"));
}

// The rule holds bit for bit. If another constant replaced 2.0, the sum of the products could cancel.
TEST(GeneralizeTest, KeepsTheAccuracyOfInexactRules) {
  EXPECT_THAT(MembersOf("(('~fmul', ('fadd', 'a@32', 1.0), 2.0), ('fadd', ('fmul', a, 2.0), 2.0))"),
              ElementsAre(AllOf(HasSubstr("'#b'), 2.0)"), Not(HasSubstr("#c")))));
}

}  // namespace
}  // namespace rewrought::pipeline
