#include "rules/sharing.h"

#include <string>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::rules {
namespace {

std::string RuleOf(const std::string& fragment, const std::string& shared) {
  const std::optional<ir::Rule> rule = SharingRule(*ir::ParseTerm(fragment), shared);
  return rule.has_value() ? ir::PrintRule(*rule) : "none";
}

const char kOuter[] =
    "(('fmul@32', ('fmul@32', 'a@32', 'b@32(is_shared_with_outer)'), 'c@32'), ('fmul@32', 'a@32', ('fmul@32', 'b@32', "
    "'c@32')))";

TEST(SharingTest, TheSharedVariableComesBesideWhatTheRootReads) {
  const struct {
    const char *fragment, *shared, *rule;
  } rows[] = {
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')", "b", kOuter},
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')", "a", kOuter},
      {"('iadd@32', 'a@32', ('iadd@32', 'b@32', 'c@32'))", "c",
       "(('iadd@32', ('iadd@32', 'a@32', 'b@32(is_shared_with_outer)'), 'c@32'), ('iadd@32', 'a@32', ('iadd@32', "
       "'b@32', "
       "'c@32')))"},
      {"('fmul@32', ('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32'), 'd@32')", "a",
       "(('fmul@32', ('fmul@32', ('fmul@32', 'a@32', 'b@32(is_shared_with_second_outer)'), 'c@32'), 'd@32'), "
       "('fmul@32', "
       "('fmul@32', 'a@32', 'c@32'), ('fmul@32', 'b@32', 'd@32')))"},
      // No rule exists for these fragments: the shared value is the root's own operand, the fragment is not a chain, it
      // contains two different ops, a value occurs twice, an operand is a constant, or the op is not associative.
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')", "c", "none"},
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), ('fmul@32', 'c@32', 'd@32'))", "a", "none"},
      {"('fmul@32', ('fadd@32', 'a@32', 'b@32'), 'c@32')", "a", "none"},
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'a')", "b", "none"},
      {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 0x40400000@32)", "b", "none"},
      {"('isub@32', ('isub@32', 'a@32', 'b@32'), 'c@32')", "b", "none"},
  };
  for (const auto& row : rows) EXPECT_EQ(RuleOf(row.fragment, row.shared), row.rule) << row.fragment;
}

// A pack's evidence is recomputed from the rule's text, so the nodes of the rule must be in the order in which parsing
// this text creates them.
TEST(SharingTest, NodesStandAsTheTextNamesThem) {
  const auto names = [](const ir::Term& term) {
    std::string text;
    for (const ir::Node& node : term.nodes) text += node.kind == ir::NodeKind::kOp ? "*" : node.name;
    return text;
  };
  for (const char* fragment : {"('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')",
                               "('fmul@32', ('fmul@32', ('fmul@32', 'a@32', 'b@32'), 'c@32'), 'd@32')"}) {
    const std::optional<ir::Rule> rule = SharingRule(*ir::ParseTerm(fragment), "b");
    ASSERT_TRUE(rule.has_value());
    const ir::Rule read = *ir::ParseRule(ir::PrintRule(*rule));
    EXPECT_EQ(names(rule->search), names(read.search));
    EXPECT_EQ(names(rule->replace), names(read.replace));
  }
}

TEST(SharingTest, ARuleThatIsNoRegroupingIsNone) {
  const auto is = [](const char* text) { return IsSharing(*ir::ParseRule(text)); };
  EXPECT_TRUE(is("(('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c'), ('fmul', 'a', ('fmul', 'b', 'c')))"));
  EXPECT_TRUE(
      is("(('iadd', ('iadd', ('iadd', 'a@32', 'b(is_shared_with_second_outer)'), 'c'), 'd'),"
         " ('iadd', ('iadd', 'a', 'c'), ('iadd', 'b', 'd')))"));
  // In these rules, the predicate is missing, a value is missing, a value occurs twice, the sides have different ops,
  // or the op is not associative.
  EXPECT_FALSE(is("(('~fmul', ('fmul', 'a@32', 'b'), 'c'), ('fmul', 'a', ('fmul', 'b', 'c')))"));
  EXPECT_FALSE(is("(('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c'), ('fmul', 'a', 'b'))"));
  EXPECT_FALSE(is("(('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'a'), ('fmul', 'a', ('fmul', 'b', 'a')))"));
  EXPECT_FALSE(is("(('~fmul', ('fmul', 'a@32', 'b(is_shared_with_outer)'), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"));
  EXPECT_FALSE(is("(('isub', ('isub', 'a@32', 'b(is_shared_with_outer)'), 'c'), ('isub', 'a', ('isub', 'b', 'c')))"));
}

}  // namespace
}  // namespace rewrought::rules
