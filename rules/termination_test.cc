#include "rules/termination.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

std::vector<ir::Rule> Rules(std::initializer_list<const char*> texts) {
  std::vector<ir::Rule> rules;
  for (const char* text : texts) rules.push_back(*ir::ParseRule(text));
  return rules;
}

TEST(Termination, RulesThatGoDownEnd) {
  const auto found = CheckTermination(Rules({"(('iand', a, a), a)", "(('ineg', ('ineg', a)), a)"}), {}, 100);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->empty());
}

TEST(Termination, FindsRulesThatUndoEachOther) {
  const auto found = CheckTermination(
      Rules({"(('isub', 'a@32', b), ('iadd', a, ('ineg', b)))", "(('iadd', 'a@32', ('ineg', b)), ('isub', a, b))"}), {},
      100);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_FALSE(found->empty());
  EXPECT_EQ((*found)[0].rules, (std::vector<size_t>{0, 1}));
  EXPECT_EQ((*found)[0].Text(),
            "('isub@32', 'a@32', 'b@32') -> (rule 0) ('iadd@32', 'a@32', ('ineg@32', 'b@32')) -> (rule 1) "
            "('isub@32', 'a@32', 'b@32')");
}

TEST(Termination, SeesThroughRelations) {
  // Two rules that undo each other are found even if one of them has a condition on a constant.
  const auto turning = CheckTermination(
      Rules({"(('where', ('isub', 'a@32', ('ishl', b, '#c')), ('ult', c, 4)), ('iadd', a, ('ineg', ('ishl', b, c))))",
             "(('iadd', 'a@32', ('ineg', b)), ('isub', a, b))"}),
      {}, 100);
  ASSERT_TRUE(turning.ok()) << turning.status();
  EXPECT_FALSE(turning->empty());
}

TEST(Termination, SeesCyclesThroughTheTree) {
  const auto pack = Rules({"(('isub', 'a@32', b), ('iadd', a, ('ineg', b)))"});
  const auto tree = Rules({"(('iadd', 'a@32', ('ineg', b)), ('isub', a, b))", "(('ixor', 'a@32', b), ('ixor', b, a))"});
  const auto found = CheckTermination(pack, tree, 100);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->size(), 1u);
  // A cycle that contains only rules of the tree is not reported.
  const auto other = CheckTermination(Rules({"(('iand', 'a@32', ('ixor', b, b)), 0)"}), {tree[1]}, 100);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_TRUE(other->empty());
}

TEST(Termination, SwappingOperandsIsACycle) {
  const auto found = CheckTermination(Rules({"(('iadd', 'a@32', b), ('iadd', b, a))"}), {}, 100);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 1u);
}

TEST(Termination, ConstantsCountAsSamples) {
  const auto found = CheckTermination(
      Rules({"(('iadd', 'a@32', '#b'), ('ixor', a, b))", "(('ixor', 'a@32', '#b'), ('iadd', a, b))"}), {}, 100);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->empty());
  // After folding, the operand is a constant, which the second rule does not match.
  const auto folded = CheckTermination(Rules({"(('iadd', 'a@32', '#b'), ('isub', a, ('ineg', b)))",
                                              "(('isub', 'a@32', ('ineg', '#b')), ('iadd', a, b))"}),
                                       {}, 100);
  ASSERT_TRUE(folded.ok());
  EXPECT_TRUE(folded->empty());
  // A rule that matches a constant in only one place does not match its own result if the other operands are variables.
  // If another operand were also a constant, the rule would loop forever.
  for (const char* other : {"a", "a(is_not_const)"}) {
    const std::string rule =
        absl::StrCat("(('iadd', '", other, "', ('iadd@32', 'b(is_not_const)', '#c')), ('iadd', ('iadd', a, b), c))");
    const auto guarded = CheckTermination(Rules({rule.c_str()}), {}, 100);
    ASSERT_TRUE(guarded.ok()) << guarded.status();
    EXPECT_EQ(guarded->empty(), std::string(other) != "a");
  }
}

TEST(Termination, ARuleMeetsItself) {
  for (const char* last : {"c", "c(is_not_fmul)"}) {
    const std::string rule = absl::StrCat("(('~fadd@32', ('fadd', ('fmul', '#d', a), ('fmul', '#e', b)), '", last,
                                          "'), ('fadd', ('fmul', d, a), ('fadd', ('fmul', e, b), c)))");
    const auto found = CheckTermination(Rules({rule.c_str()}), {}, 100);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->empty(), std::string(last) != "c");
  }
}

// The rule terminates for one order of operands, but not for another.
TEST(Termination, OperandsStandInAnyOrder) {
  const auto found = CheckTermination(Rules({"(('~fmax@32', ('fadd', ('fadd', 'a', 'b'), ('fmul', 'c', 'd')), 0.0), "
                                             "('fmax', ('fadd', 'a', ('fadd', ('fmul', 'c', 'd'), 'b')), 0.0))"}),
                                      {}, 100);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->size(), 1u);
}

// Each rule terminates alone, but the two together do not, because one rearranges the result of the other.
TEST(Termination, TwoRulesMeetEachOther) {
  const char* sum =
      "(('~fadd@32', ('fadd', ('fmul', '#d', a), ('fmul', '#e', b)), 'c(is_not_fmul)'), "
      "('fadd', ('fmul', d, a), ('fadd', ('fmul', e, b), c)))";
  const char* least =
      "(('~fmax@32', ('fadd', ('fadd', 'a(is_not_fmul)', 'b'), ('fmul', 'c', 'd')), 0.0), "
      "('fmax', ('fadd', 'a', ('fadd', ('fmul', 'c', 'd'), 'b')), 0.0))";
  for (const auto& [rules, count] : {std::pair(Rules({sum}), 0u), {Rules({least}), 0u}, {Rules({sum, least}), 1u}}) {
    const auto found = CheckTermination(rules, {}, 200);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->size(), count);
  }
}

TEST(Termination, GrowthMeetsTheBound) {
  const auto found = CheckTermination(Rules({"(('ineg', 'a@32'), ('ineg', ('inot', ('inot', a))))"}), {}, 20);
  ASSERT_TRUE(found.ok());
  ASSERT_FALSE(found->empty());
  EXPECT_TRUE((*found)[0].terms.empty());
  EXPECT_NE((*found)[0].Text().find("more terms than the bound"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::rules
