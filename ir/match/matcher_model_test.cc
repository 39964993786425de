#include "ir/match/matcher_model.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

Node OpNode(const char* op, int bits, uint8_t flags) {
  Node node;
  node.kind = NodeKind::kOp;
  node.op = FindOp(op);
  node.bits = static_cast<uint8_t>(bits);
  node.flags = flags;
  return node;
}

TEST(FlagPermits, OnlyFloatResultsAndSelectionsHaveFlags) {
  EXPECT_TRUE(FlagPermits(*FindOp("fadd"), 32));
  EXPECT_TRUE(FlagPermits(*FindOp("bcsel"), 16));
  EXPECT_FALSE(FlagPermits(*FindOp("bcsel"), 8));
  EXPECT_FALSE(FlagPermits(*FindOp("flt"), 1));
  EXPECT_FALSE(FlagPermits(*FindOp("f2i32"), 32));
}

TEST(FlagsOfBuiltNode, OnlyNamedFlagsOfTheSameSizeAreKnown) {
  const Node root = OpNode("fadd", 32, kNoSignedZero);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("fmul"), 32, false), kNoSignedZero | kRootNoNan | kRootNoInf);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("fmul"), 16, false), kRootMarks);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("iadd"), 32, false), kNoSignedZero);
}

// Back ends read the flags of a comparison for the size of its operands.
TEST(FlagsOfBuiltNode, AComparisonHasTheFlagsOfTheRootUnlessItIsExact) {
  const Node root = OpNode("b2f32", 32, 0);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("flt"), 1, false), kRootNoNan | kRootNoInf);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("flt"), 1, true), 0);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("ilt"), 1, false), 0);
}

// The matcher does not check the flags of a 1-bit result, so the built nodes need not have the flags that the rule
// names there.
TEST(FlagsOfBuiltNode, TheFlagsOfAComparisonAreUnknown) {
  const Node root = OpNode("flt", 1, kNoNan);
  EXPECT_EQ(FlagsOfBuiltNode(root, *FindOp("fadd"), 32, false), kRootMarks);
}

TEST(MakeComparisonsExact, ChangesOnlyOpsWhoseFlagsApplyToTheirOperands) {
  Rule rule = *ParseRule("(('b2f32', ('flt', a, b)), ('bcsel', ('flt', a, b), 1.0, ('fadd', a, b)))");
  EXPECT_TRUE(MakeComparisonsExact(&rule.replace));
  EXPECT_EQ(PrintTerm(rule.replace), "('bcsel', ('!flt', 'a', 'b'), 1.0, ('fadd', 'a', 'b'))");
  EXPECT_FALSE(MakeComparisonsExact(&rule.replace));
}

TEST(MarkUnknownFlags, TheRootSharesWhatTheReplacementHas) {
  Term built, search;
  built.nodes = {OpNode("fmul", 16, kRootMarks), OpNode("fmul", 32, kRootNoInf)};
  search.nodes = {OpNode("fadd", 32, kNoNan)};
  MarkUnknownFlags(built, &search);
  EXPECT_EQ(search.root_node().flags, kNoNan | kRootNoInf);
}

TEST(MarkUnknownFlags, AComparisonSharesTheFlagsOfItsOperandsSize) {
  Rule rule = *ParseRule("(('flt@1', 'a@32', 'b@32'), ('flt@1', 'b@32', 'a@32'))");
  rule.replace.nodes[rule.replace.root].flags = kRootNoNan;
  MarkUnknownFlags(rule.replace, &rule.search);
  EXPECT_EQ(rule.search.root_node().flags, kRootNoNan);
}

TEST(RootFlagInput, NamesAreNotThoseOfVariables) {
  EXPECT_EQ(RootFlagInput(kNoSignedZero, 16), "root_nsz16");
  EXPECT_TRUE(IsRootFlagInput("root_nnan64"));
  EXPECT_FALSE(IsRootFlagInput("root"));
}

TEST(CheckVectorRoot, ReplacementsMustActPerComponent) {
  const auto check = [](const char* rule) { return CheckVectorRoot(*ParseRule(rule)).ok(); };
  EXPECT_TRUE(check("(('fadd', a, b), ('fadd', b, a))"));
  EXPECT_TRUE(check("(('fdot2', a, b), ('fdot2', b, a))"));
  EXPECT_FALSE(check("(('pack_32_2x16_split', a, b), ('pack_32_2x16', ('vec2', a, b)))"));
  EXPECT_FALSE(check("(('fadd', a, b), ('fadd', a, 'b.xxxx'))"));
  EXPECT_TRUE(check("(('f2f16', ('vec2', a, b)), ('vec2', ('f2f16', a), ('f2f16', b)))"));
  EXPECT_FALSE(check("(('f2f16', ('vec3', a, b, c)), ('vec2', ('f2f16', a), ('f2f16', b)))"));
  // An op with one result component limits the root to one component.
  EXPECT_TRUE(check("(('ishl', ('pack_half_2x16', ('vec2', a, 0)), 16), ('pack_half_2x16', ('vec2', 0, a)))"));
}

TEST(CheckSearchSwizzles, SearchesReadComponentsInOrder) {
  const auto check = [](const char* rule) { return CheckSearchSwizzles(ParseRule(rule)->search).ok(); };
  EXPECT_TRUE(check("(('fadd', a, b), 'b.y')"));
  EXPECT_TRUE(check("(('fadd', 'a.x', ('unpack_half_2x16.y', b)), a)"));
  EXPECT_FALSE(check("(('fadd', 'a.y', b), a)"));
  EXPECT_FALSE(check("(('fdot2', 'a.yx', b), 'a')"));
}

TEST(ComponentsOfEveryReader, IsTheIntersection) {
  const Rule rule = *ParseRule("(('fadd', a, ('fdot3', a, b)), a)");
  EXPECT_EQ(ComponentsOfEveryReader(rule.search, "a"), 1u);
  EXPECT_EQ(ComponentsOfAnyReader(rule.search, "a"), 7u);
  EXPECT_EQ(ComponentsOfEveryReader(rule.search, "b"), 7u);
}

}  // namespace
}  // namespace rewrought::ir
