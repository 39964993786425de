#include "rules/rule_passes.h"

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

std::vector<ir::Rule> Rules(const char* text) {
  std::vector<ir::Rule> rules;
  for (const ir::RuleEntry& entry : ir::ParseRules(text)) rules.push_back(*entry.rule);
  return rules;
}

TEST(CompilePasses, KeepsListsApartAndCountsWhatCannotBeMatched) {
  const std::vector<ir::Rule> first = Rules("(('ineg', ('ineg', a)), a)\n(('inot', ('inot', a)), a)"),
                              second = Rules("(('fneg', ('fneg', a)), a)");
  ASSERT_EQ(first.size() + second.size(), 3u);
  const RulePasses passes = CompilePasses({first, second});
  ASSERT_EQ(passes.passes.size(), 2u);
  EXPECT_EQ(passes.passes[0].size(), 2u);
  EXPECT_EQ(passes.passes[1].size(), 1u);
  EXPECT_EQ(passes.rules, 3u);
  EXPECT_EQ(passes.left_out, 0u);
  // A search side that has no op matches nothing.
  ir::Rule bare;
  bare.search = bare.replace = *ir::ParseTerm("'a@32'");
  EXPECT_EQ(CompilePasses({{bare}}).left_out, 1u);
}

TEST(CompilePasses, TheDigestTellsTheOrderOfRulesAndOfPasses) {
  const std::vector<ir::Rule> one = Rules("(('ineg', ('ineg', a)), a)"), two = Rules("(('inot', ('inot', a)), a)");
  std::vector<ir::Rule> both = one;
  both.push_back(two[0]);
  EXPECT_EQ(CompilePasses({both}).digest, CompilePasses({both}).digest);
  EXPECT_NE(CompilePasses({both}).digest, CompilePasses({one, two}).digest);
  EXPECT_NE(CompilePasses({one, two}).digest, CompilePasses({two, one}).digest);
}

}  // namespace
}  // namespace rewrought::rules
