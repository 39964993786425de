#include "rules/undoing.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

std::vector<ir::CompiledRule> Compiled(std::initializer_list<const char*> texts) {
  std::vector<ir::CompiledRule> rules;
  for (const char* text : texts) rules.push_back(*ir::CompiledRule::Compile(*ir::ParseRule(text)));
  return rules;
}

TEST(Undoing, NamesPairsOfDifferentLists) {
  const auto found =
      FindUndoing({Compiled({"(('ineg', ('ineg', a)), a)", "(('isub', 'a@32', b), ('iadd', a, ('ineg', b)))"}),
                   Compiled({"(('iadd', a, ('ineg', b)), ('isub', a, b))", "(('ixor', a, a), 0)"})},
                  2);
  ASSERT_EQ(found.cycles.size(), 1u);
  EXPECT_EQ(found.cycles[0].rules, (std::vector<ListedRule>{{0, 1}, {1, 0}}));
  EXPECT_EQ(found.cycles[0].terms,
            (std::vector<std::string>{"('isub@32', 'a@32', 'b@32')", "('iadd@32', 'a@32', ('ineg@32', 'b@32'))",
                                      "('isub@32', 'a@32', 'b@32')"}));
}

TEST(Undoing, OneListIsItsOwnPassesBusiness) {
  const char* const there = "(('isub', 'a@32', b), ('iadd', a, ('ineg', b)))";
  const char* const back = "(('iadd', 'a@32', ('ineg', b)), ('isub', a, b))";
  EXPECT_TRUE(FindUndoing({Compiled({there, back})}, 1).cycles.empty());
  EXPECT_TRUE(
      FindUndoing({Compiled({}), Compiled({there}), Compiled({back})}, 1).cycles.empty());  // a cycle of a tree alone
  EXPECT_EQ(FindUndoing({Compiled({there}), Compiled({back})}, 1).cycles.size(), 1u);
  EXPECT_EQ(FindUndoing({Compiled({back}), Compiled({there})}, 1).cycles.size(), 1u);
}

// The other rule undoes the result, even if it matches below the root or contains a constant.
TEST(Undoing, LooksBelowTheRootAndAtConstants) {
  EXPECT_EQ(FindUndoing({Compiled({"(('ineg', ('isub', 'a@32', b)), ('ineg', ('iadd', a, ('ineg', b))))"}),
                         Compiled({"(('iadd', a, ('ineg', b)), ('isub', a, b))"})},
                        2)
                .cycles.size(),
            1u);
  EXPECT_EQ(
      FindUndoing({Compiled({"(('imul', 'a@32', 2), ('iadd', a, a))"}), Compiled({"(('iadd', a, a), ('imul', a, 2))"})},
                  2)
          .cycles.size(),
      1u);
  EXPECT_TRUE(
      FindUndoing({Compiled({"(('imul', 'a@32', 2), ('iadd', a, a))"}), Compiled({"(('iadd', a, a), ('imul', a, 3))"})},
                  2)
          .cycles.empty());
}

// Each list terminates on its own, and so does each pair of lists.
TEST(Undoing, NamesCyclesOfThreeRulesAndMore) {
  const char* const minus = "(('isub', 'a@32', b), ('iadd', a, ('ineg', b)))";
  const char* const turned = "(('iadd', 'a@32', ('ineg', b)), ('ineg', ('isub', b, a)))";
  const char* const back = "(('ineg', ('isub', 'a@32', b)), ('isub', b, a))";
  const auto list = [](const char* rule) { return Compiled({"(('ior', a, a), a)", rule}); };
  EXPECT_TRUE(FindUndoing({list(minus), list(turned)}, 2).cycles.empty());
  EXPECT_TRUE(FindUndoing({list(minus), list(back)}, 2).cycles.empty());
  EXPECT_TRUE(FindUndoing({list(turned), list(back)}, 2).cycles.empty());
  const Undoing three = FindUndoing({list(minus), list(turned), list(back)}, 3);
  ASSERT_EQ(three.cycles.size(), 1u);
  EXPECT_EQ(three.cycles[0].rules, (std::vector<ListedRule>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(three.cycles[0].terms,
            (std::vector<std::string>{"('isub@32', 'a@32', 'b@32')", "('iadd@32', 'a@32', ('ineg@32', 'b@32'))",
                                      "('ineg@32', ('isub@32', 'a@32', 'b@32'))", "('isub@32', 'a@32', 'b@32')"}));
  EXPECT_EQ(three.cut, 0u);
  // Two of the three rules may be in one file, or two of them may be rules of the tree.
  EXPECT_EQ(FindUndoing({Compiled({minus, turned}), Compiled({back})}, 2).cycles.size(), 1u);
  EXPECT_EQ(FindUndoing({Compiled({minus}), Compiled({turned, back})}, 1).cycles.size(), 1u);
  // A cycle is not reported if all its rules are in one file, or all are in the tree.
  EXPECT_TRUE(FindUndoing({Compiled({minus, turned, back}), Compiled({})}, 2).cycles.empty());
  EXPECT_TRUE(FindUndoing({Compiled({}), list(minus), list(turned), list(back)}, 1).cycles.empty());
}

TEST(Undoing, ACycleOfFourIsNamedBesideAPair) {
  const Undoing found =
      FindUndoing({Compiled({"(('iadd', 'a@32', 1), ('isub', a, -1))", "(('ixor', 'a@32', 1), ('ior', a, 1))"}),
                   Compiled({"(('isub', 'a@32', -1), ('inot', ('ineg', ('inot', ('inot', a)))))"}),
                   Compiled({"(('inot', ('ineg', ('inot', ('inot', 'a@32')))), ('inot', ('ineg', a)))",
                             "(('ior', 'a@32', 1), ('ixor', a, 1))"}),
                   Compiled({"(('inot', ('ineg', 'a@32')), ('iadd', a, 1))"})},
                  4);
  ASSERT_EQ(found.cycles.size(), 2u);
  EXPECT_EQ(found.cycles[0].rules, (std::vector<ListedRule>{{0, 1}, {2, 1}}));
  EXPECT_EQ(found.cycles[1].rules, (std::vector<ListedRule>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
}

// If terms grow without bound, the exploration stops at the limit and reports this.
TEST(Undoing, TheBoundIsSaid) {
  const Undoing found = FindUndoing({Compiled({"(('ineg', 'a@32'), ('ineg', ('inot', ('inot', a))))"}),
                                     Compiled({"(('inot', 'a@32'), ('inot', ('iadd', 0, ('ixor', a, ('inot', 'a')))))",
                                               "(('iadd', 0, 'a@32'), ('iadd', a, ('imul', 1, a)))"})},
                                    2);
  EXPECT_TRUE(found.cycles.empty());
  EXPECT_EQ(found.cut, 2u);
}

}  // namespace
}  // namespace rewrought::rules
