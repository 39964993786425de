#include "emitter/lburg/grammar_pattern.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::emitter {
namespace {

ir::Term Search(const std::string& text) {
  ir::Rule rule = *ir::ParseRule(absl::StrCat("(", text, ", 0)"));
  rule.replace = ir::Term();
  return ir::Instantiate(rule, ir::EnumerateSizes(rule)->front())->search;
}

// Returns "tree where condition" for each order, or the error.
std::string Patterns(const std::string& text, const PatternRequirements& needs = {}) {
  const auto patterns = GrammarPatterns(Search(text), needs);
  if (!patterns.ok()) return std::string(patterns.status().message());
  return absl::StrJoin(*patterns, "\n", [](std::string* out, const GrammarPattern& one) {
    absl::StrAppend(out, PrintTree(one.tree), one.condition.empty() ? "" : " where ", one.condition);
  });
}

TEST(GrammarPattern, NamesOpsBySize) {
  EXPECT_EQ(Patterns("('flt', 'a@32', 'b')"), "flt_32(r32,r32)");
  EXPECT_EQ(Patterns("('u2u32', 'a@8')"), "u2u32_8(r8)");
  PatternRequirements needs;
  needs.flags = {"a"};
  EXPECT_EQ(Patterns("('bcsel', 'a', 'b@16', 'c')", needs), "bcsel_16(flag,r16,r16)");
}

TEST(GrammarPattern, HasARowForEachOrderThatMatchesMore) {
  EXPECT_EQ(Patterns("('iadd', 'a@32', 'b')"), "iadd_32(r32,r32)");
  EXPECT_EQ(Patterns("('iadd', ('ineg', 'a@32'), 'b')"), "iadd_32(ineg_32(r32),r32)\niadd_32(r32,ineg_32(r32))");
}

TEST(GrammarPattern, ExpressesTheRestAsConditions) {
  EXPECT_EQ(Patterns("('ishl', 'a@32', 'a')"), "ishl_32(r32,r32) where SAME(CHILD(a,0), CHILD(a,1))");
  EXPECT_EQ(Patterns("('ishl(is_used_once)', 'a@32', '#b(is_ult_32)')"),
            "ishl_32(r32,constant_32) where PREDICATE(is_used_once, a) && PREDICATE(is_ult_32, CHILD(a,1))");
  PatternRequirements needs;
  needs.condition = "options->x";
  needs.inexact = true;
  EXPECT_EQ(Patterns("('fsub(nnan)', 'a@32', 0.0)", needs),
            "fsub_32(r32,constant_32) where FLAG(nnan, a) && INEXACT(a) && CONSTANT(EITHER_ZERO, CHILD(a,1)) && "
            "CONDITION(options->x)");
}

TEST(GrammarPattern, AsksForRelationsBetweenConstants) {
  EXPECT_EQ(Patterns("('where', ('ushr', ('ushr', 'a@32', '#b'), '#c(is_ult_32)'), ('ult', ('isub', 'b', 'c'), 32))"),
            "ushr_32(ushr_32(r32,constant_32),constant_32) where PREDICATE(is_ult_32, CHILD(a,1)) && "
            "RELATION(ult_32(isub_32(BITS(CHILD(CHILD(a,0),1)),BITS(CHILD(a,1))),0x20))");
  EXPECT_EQ(Patterns("('where', ('umin', ('umin', 'a@16', '#b'), '#c'), ('ult', 'b', 'c'))"),
            "umin_16(umin_16(r16,constant_16),constant_16) where "
            "RELATION(ult_16(BITS(CHILD(CHILD(a,0),1)),BITS(CHILD(a,1))))\n"
            "umin_16(constant_16,umin_16(r16,constant_16)) where "
            "RELATION(ult_16(BITS(CHILD(CHILD(a,1),1)),BITS(CHILD(a,0))))\n"
            "umin_16(umin_16(constant_16,r16),constant_16) where "
            "RELATION(ult_16(BITS(CHILD(CHILD(a,0),0)),BITS(CHILD(a,1))))\n"
            "umin_16(constant_16,umin_16(constant_16,r16)) where "
            "RELATION(ult_16(BITS(CHILD(CHILD(a,1),0)),BITS(CHILD(a,0))))");
  EXPECT_EQ(Patterns("('where', ('ishl', 'a@16', '#b'), ('uge', ('u2u16', 'b'), -4))"),
            "ishl_16(r16,constant_32) where RELATION(uge_16(u2u16_32(BITS(CHILD(a,1))),0xfffc))");
  const ir::Term search = Search("('where', ('ushr', 'a@32', '#b'), ('ult', 'b', 4))");
  EXPECT_TRUE(CompareTree({"ushr_32", {{"r32", {}}, {"constant_32", {}}}}, {"a", "b"}, search).ok());
}

TEST(GrammarPattern, UnsupportedPatternsAreRefused) {
  EXPECT_EQ(Patterns("('~fadd', 'a@32', 'b')"), "a grammar cannot test whether a node is exact");
}

TEST(GrammarPattern, TreesAreComparedInAnyOrder) {
  const ir::Term search = Search("('iadd', ('ineg', 'a@32'), 'b')");
  const GrammarTree value = {"r32", {}}, negated = {"ineg_32", {value}};
  EXPECT_TRUE(CompareTree({"iadd_32", {negated, value}}, {"a", "b"}, search).ok());
  EXPECT_TRUE(CompareTree({"iadd_32", {value, negated}}, {"b", "a"}, search).ok());
  EXPECT_FALSE(CompareTree({"iadd_32", {value, negated}}, {"a", "b"}, search).ok());
  EXPECT_FALSE(CompareTree({"iadd_32", {value, value}}, {"a", "b"}, search).ok());
  EXPECT_FALSE(CompareTree({"iadd_32", {negated, value}}, {"a", "b", "c"}, search).ok());
  EXPECT_FALSE(CompareTree({"isub_32", {negated, value}}, {"a", "b"}, search).ok());
}

}  // namespace
}  // namespace rewrought::emitter
