#include "rules/tree_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

ir::Rule Rule(const std::string& text) {
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << rule.status();
  return *std::move(rule);
}

machine::Candidate Ours(const std::string& search, const std::string& replace) {
  return {*machine::FindMachine("intel_gen9"), *ir::ParseTerm(search), std::nullopt, *ir::ParseTerm(replace)};
}

const char kScaled[] = "('~fmul@32', ('fmul@32', 'a@32', '#b@32'), '#c@32')";
const char kOnce[] = "('fmul@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))";

TEST(TreeRules, ARuleThatTheTreeHasIsNoNews) {
  const TreeRules tree(CompilePasses({{Rule("(('~fmul', ('fmul', a, '#b'), '#c'), ('fmul', a, ('fmul', b, c)))")}}));
  EXPECT_TRUE(tree.Subsume(Ours(kScaled, kOnce)));
  EXPECT_FALSE(TreeRules(CompilePasses({})).Subsume(Ours(kScaled, kOnce)));
  EXPECT_FALSE(tree.Subsume(Ours("('~fmul@32', ('fsqrt@32', 'a@32'), ('fsqrt@32', 'a'))", "'a@32'")));
}

TEST(TreeRules, PassesFollowOneAnother) {
  const TreeRules tree(CompilePasses({{Rule("(('fabs', ('fneg', a)), ('fabs', a))")},
                                      {Rule("(('fmul', ('fabs', a), ('fabs', a)), ('fmul', a, a))")}}));
  EXPECT_TRUE(tree.Subsume(Ours("('fmul@32', ('fabs@32', ('fneg@32', 'a@32')), ('fabs@32', ('fneg@32', 'a')))",
                                "('fmul@32', 'a@32', 'a')")));
}

TEST(TreeRules, PreconditionsHoldForTheTreeToo) {
  const TreeRules tree(CompilePasses({{Rule("(('fmax', 'a(is_not_negative)', 0.0), a)")}}));
  EXPECT_TRUE(tree.Subsume(Ours("('fmax@32', 'a@32(is_not_negative)', 0x00000000@32)", "'a@32'")));
  EXPECT_FALSE(tree.Subsume(Ours("('fmax@32', 'a@32(is_not_positive)', 0x00000000@32)", "0x00000000@32")));
}

bool IsUndone(const std::vector<std::vector<ir::Rule>>& passes, const machine::Candidate& rule) {
  return TreeRules(CompilePasses(passes)).FindLooping({&rule, 1}, 0)[0];
}

TEST(TreeRules, WhatTheTreeTurnsBackIsUndone) {
  const machine::Candidate negated =
      Ours("('fneg@32', ('fadd@32', 'a@32', 'b@32'))", "('fadd@32', ('fneg@32', 'a@32'), ('fneg@32', 'b@32'))");
  const ir::Rule back = Rule("(('fadd', ('fneg', a), ('fneg', b)), ('fneg', ('fadd', a, b)))");
  const ir::Rule other = Rule("(('fadd', ('fneg', a), ('fneg', b)), ('fsub', ('fneg', a), b))");
  EXPECT_TRUE(IsUndone({{back}}, negated));
  EXPECT_FALSE(IsUndone({{other}}, negated));
  EXPECT_FALSE(IsUndone({{other}, {back}}, negated));
  EXPECT_TRUE(
      TreeRules(CompilePasses({{other}, {back}})).FindLooping({&negated, 1}, 1)[0]);  // the second pass undoes the rule
  EXPECT_FALSE(IsUndone({}, negated));
  // The tree's rule applies only under a precondition.
  const machine::Candidate halved =
      Ours("('fmul@32', 'a@32(is_not_negative)', 0x40000000@32)", "('fadd@32', 'a@32', 'a')");
  EXPECT_TRUE(IsUndone({{Rule("(('fadd', 'a(is_not_negative)', 'a'), ('fmul', 2.0, a))")}}, halved));
  EXPECT_FALSE(IsUndone({{Rule("(('fadd', 'a(is_not_positive)', 'a'), ('fmul', 2.0, a))")}}, halved));
}

TEST(TreeRules, TwoRulesMayGoRoundTogether) {
  const TreeRules tree(CompilePasses({{Rule("(('fceil', a), ('fsat', a))")}}));
  const machine::Candidate first = Ours("('fsat@32', 'a@32')", "('ffloor@32', 'a@32')");
  const machine::Candidate second = Ours("('ffloor@32', 'a@32')", "('fceil@32', 'a@32')");
  const std::vector<machine::Candidate> rules = {first, second};
  EXPECT_EQ(tree.FindLooping({&first, 1}, 0), std::vector<bool>{false});
  EXPECT_EQ(tree.FindLooping({&second, 1}, 0), std::vector<bool>{false});
  EXPECT_EQ(tree.FindLooping(rules, 0), std::vector<bool>({true, false}));  // the remaining rule terminates
}

TEST(RulePasses, CountWhatCannotBeMatched) {
  const RulePasses passes =
      CompilePasses({{Rule("(('fadd@16', 'a@32', b), a)"), Rule("(('fabs', ('fneg', a)), ('fabs', a))")}});
  EXPECT_EQ(passes.left_out, 1u);
  EXPECT_EQ(passes.rules, 1u);
}

}  // namespace
}  // namespace rewrought::rules
