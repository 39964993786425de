#include "server/handlers/rule_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rewrought::rpc {
namespace {

// Returns text such as "n0: RESULT" for each match of the rule.
std::vector<std::string> Fires(const std::string& search, const std::string& replace, const std::string& expression,
                               const std::string& program = "") {
  store::RuleRecord rule;
  rule.search = search;
  rule.replace = replace;
  rule.program = program;
  const absl::StatusOr<ir::Term> term = ReadExpression(expression);
  EXPECT_TRUE(term.ok()) << term.status();
  std::vector<std::string> found;
  for (const FoundMatch& match : MatchesOf(rule, *term)) found.push_back(match.node + ": " + match.result);
  return found;
}

using Found = std::vector<std::string>;

TEST(RuleSearch, FindsTheRootAndInnerNodes) {
  EXPECT_EQ(Fires("('fneg', ('fneg', a))", "a", "('fadd', ('fneg', ('fneg', x)), y)"),
            Found{"n1: ('fadd', 'x@32', 'y')"});
  EXPECT_EQ(Fires("('iadd', a, 0)", "a", "('iadd', x, 0)").size(), 1u);
}

TEST(RuleSearch, FindsNothingWhereNothingFits) {
  EXPECT_TRUE(Fires("('fneg', ('fneg', a))", "a", "('fadd', ('fneg', x), y)").empty());
  EXPECT_TRUE(Fires("('iadd', a, a)", "('ishl', a, 1)", "('iadd', x, y)").empty());
}

TEST(RuleSearch, PredicatesTakeConstantsOrWhatIsSaid) {
  const std::string search = "('fabs', 'a(is_not_negative)')";
  EXPECT_TRUE(Fires(search, "a", "('fabs', x)").empty());
  EXPECT_EQ(Fires(search, "a", "('fabs', 'x(is_not_negative)')").size(), 1u);
  EXPECT_EQ(Fires(search, "a", "('fabs', 2.0)").size(), 1u);
}

TEST(RuleSearch, InnerValuesWithOtherUsers) {
  const std::string search = "('fadd', ('fmul(is_used_once)', a, b), c)";
  EXPECT_EQ(Fires(search, "('ffma', a, b, c)", "('fadd', ('fmul', x, y), z)").size(), 1u);
  EXPECT_TRUE(Fires(search, "('ffma', a, b, c)", "('fmax', ('fadd', ('fmul', x, y), z), ('fmul', x, y))").empty());
}

TEST(RuleSearch, ProgramsHaveNoResult) {
  EXPECT_EQ(Fires("('fneg', a)", "", "('fneg', x)", "mov(8) r(F), -a(F)"), Found{"n0: "});
}

TEST(RuleSearch, RulesThatNoLongerParseFireNowhere) {
  EXPECT_TRUE(Fires("('no_such_op', a)", "a", "('fneg', x)").empty());
}

TEST(RuleSearch, ExpressionsThatAreNoneAreNamed) {
  for (const char* wrong : {"", "('fadd', a)", "('no_such_op', a)", "('iadd@32', ('u2u64', a), b)"}) {
    const absl::StatusOr<ir::Term> term = ReadExpression(wrong);
    ASSERT_FALSE(term.ok()) << wrong;
    EXPECT_EQ(term.status().message().substr(0, 11), "expression:") << wrong;
  }
  EXPECT_EQ(ReadExpression("('iadd', a, b)")->root_node().bits, 32);
  EXPECT_EQ(ReadExpression("('iadd@16', a, b)")->root_node().bits, 16);
}

}  // namespace
}  // namespace rewrought::rpc
