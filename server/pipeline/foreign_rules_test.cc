#include "server/pipeline/foreign_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/text/rule_text.h"

namespace rewrought::pipeline {
namespace {

ir::Rule Rule(const std::string& text) {
  absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << rule.status();
  return *std::move(rule);
}

RuleDraft Ours(const std::string& search, const std::string& replace) {
  return {*machine::FindMachine("intel_gen9"), *ir::ParseTerm(search), std::nullopt, *ir::ParseTerm(replace)};
}

const char kScaled[] = "('~fmul@32', ('fmul@32', 'a@32', '#b@32'), '#c@32')";
const char kOnce[] = "('fmul@32', 'a@32', ('fmul@32', 'b@32', 'c@32'))";

TEST(ForeignRules, ARuleThatTheTreeHasIsNoNews) {
  const ForeignRules tree(CompilePasses({{Rule("(('~fmul', ('fmul', a, '#b'), '#c'), ('fmul', a, ('fmul', b, c)))")}}));
  EXPECT_TRUE(tree.GiveAsMuch(Ours(kScaled, kOnce)));
  EXPECT_FALSE(ForeignRules(CompilePasses({})).GiveAsMuch(Ours(kScaled, kOnce)));
  EXPECT_FALSE(tree.GiveAsMuch(Ours("('~fmul@32', ('fsqrt@32', 'a@32'), ('fsqrt@32', 'a'))", "'a@32'")));
}

TEST(ForeignRules, PassesFollowOneAnother) {
  const ForeignRules tree(CompilePasses({{Rule("(('fabs', ('fneg', a)), ('fabs', a))")},
                                         {Rule("(('fmul', ('fabs', a), ('fabs', a)), ('fmul', a, a))")}}));
  EXPECT_TRUE(tree.GiveAsMuch(Ours("('fmul@32', ('fabs@32', ('fneg@32', 'a@32')), ('fabs@32', ('fneg@32', 'a')))",
                                   "('fmul@32', 'a@32', 'a')")));
}

TEST(ForeignRules, PreconditionsHoldForTheTreeToo) {
  const ForeignRules tree(CompilePasses({{Rule("(('fmax', 'a(is_not_negative)', 0.0), a)")}}));
  EXPECT_TRUE(tree.GiveAsMuch(Ours("('fmax@32', 'a@32(is_not_negative)', 0x00000000@32)", "'a@32'")));
  EXPECT_FALSE(tree.GiveAsMuch(Ours("('fmax@32', 'a@32(is_not_positive)', 0x00000000@32)", "0x00000000@32")));
}

TEST(RulePasses, CountWhatCannotBeMatched) {
  const RulePasses passes =
      CompilePasses({{Rule("(('fadd@16', 'a@32', b), a)"), Rule("(('fabs', ('fneg', a)), ('fabs', a))")}});
  EXPECT_EQ(passes.left_out, 1u);
  EXPECT_EQ(passes.rules, 1u);
}

}  // namespace
}  // namespace rewrought::pipeline
