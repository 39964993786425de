#include "ir/match/mesa_build.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

Rule Parse(const std::string& text) {
  absl::StatusOr<Rule> rule = ParseRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return rule.value_or(Rule{});
}

int64_t Count(const Term& term, const std::string& op) {
  return std::count_if(term.nodes.begin(), term.nodes.end(),
                       [&](const Node& node) { return node.kind == NodeKind::kOp && node.op->name == op; });
}

TEST(BuildAsMesa, RepeatedSubexpressionsAreInstructionsOfTheirOwn) {
  Rule rule = Parse("(('fmul', 'a', 2.0), ('fadd', ('fneg', 'a'), ('fneg', 'a')))");
  BuildAsMesa(rule.search, &rule.replace);
  EXPECT_EQ(Count(rule.replace, "fneg"), 2);
}

TEST(BuildAsMesa, OpsGetTheFlagsOfTheRoot) {
  Rule rule = Parse("(('fadd@32(nsz,nnan)', 'a@32', 'b@32'), ('fadd@32', 'b', ('fneg@32', ('fneg@32', 'a'))))");
  BuildAsMesa(rule.search, &rule.replace);
  for (const Node& node : rule.replace.nodes) {
    if (node.kind != NodeKind::kOp) continue;
    EXPECT_EQ(node.flags, kNoSignedZero | kNoNan | kRootNoInf);
  }
}

TEST(BuildAsMesa, AGiantTreeBecomesEmpty) {
  Rule rule = Parse("(('iadd', 'a', 'b'), 'a')");
  for (int i = 0; i < 13; ++i) {  // 2^13 - 1 instructions from 13 shared nodes
    Node sum = rule.search.root_node();
    for (Source& source : sum.sources) source.node = rule.replace.root;
    rule.replace.nodes.push_back(sum);
    rule.replace.root = static_cast<NodeIndex>(rule.replace.nodes.size() - 1);
  }
  BuildAsMesa(rule.search, &rule.replace);
  EXPECT_TRUE(rule.replace.nodes.empty());
}

TEST(TypeOfUse, IsThatOfTheFirstUse) {
  const Term term = Parse("(('bcsel', 'a', ('fadd', 'b', 1.0), ('u2f32', 'c')), 'b')").search;
  EXPECT_EQ(TypeOfUse(term, "a"), BaseType::kBool);
  EXPECT_EQ(TypeOfUse(term, "b"), BaseType::kFloat);
  EXPECT_EQ(TypeOfUse(term, "c"), BaseType::kUint);
}

// The flags come from the term that `where` encloses.
TEST(BuildAsMesa, SeesThroughARelation) {
  const Rule rule = *ParseRule(
      "(('where', ('fadd@32(nsz,nnan)', 'a', ('fadd', 'a', '#b')), ('ult', 'b', 8)), ('fadd@32', 'a', 'b'))");
  Term replace = rule.replace;
  BuildAsMesa(rule.search, &replace);
  EXPECT_EQ(replace.root_node().flags, kNoSignedZero | kNoNan | kRootNoInf);
}

}  // namespace
}  // namespace rewrought::ir
