#include "pipeline/discovery/inexact_proposal.h"

#include <string>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "rules/known_rules.h"

namespace rewrought::pipeline {
namespace {

machine::Candidate Rewrite(const std::string& search, const std::string& replace) {
  return {*machine::FindMachine("valhall"), *ir::ParseTerm(search), std::nullopt, *ir::ParseTerm(replace)};
}

// Returns the names of the variables that have the predicate `guard`.
std::string Guarded(const machine::Candidate& rule, const std::string& guard = rules::kIsNotProduct) {
  std::string names;
  for (const ir::Node& node : rule.search.nodes) {
    if (node.predicates == std::vector<std::string>{guard}) names += node.name;
  }
  return names;
}

// Without a guard, a sum of three squares, or of three products with constants (such as the luminance of a color),
// would be reordered forever.
TEST(Terminating, SumsOfThreeProductsAreTurnedOnce) {
  const std::optional<machine::Candidate> squares =
      Terminating(Rewrite("('fadd@32', ('fadd@32', ('fmul@32', 'a@32', 'a'), ('fmul@32', 'b@32', 'b')), 'c@32')",
                          "('fadd@32', ('fmul@32', 'a@32', 'a'), ('fadd@32', ('fmul@32', 'b@32', 'b'), 'c@32'))"));
  ASSERT_TRUE(squares.has_value());
  EXPECT_EQ(Guarded(*squares), "c");
  const std::optional<machine::Candidate> constants = Terminating(
      Rewrite("('fadd@32', ('fadd@32', ('fmul@32', '#d@32', 'a@32'), ('fmul@32', '#e@32', 'b@32')), 'c@32')",
              "('fadd@32', ('fmul@32', 'd@32', 'a@32'), ('fadd@32', ('fmul@32', 'e@32', 'b@32'), 'c@32'))"));
  ASSERT_TRUE(constants.has_value());
  EXPECT_EQ(Guarded(*constants), "c");
  // If b were a constant, the rule would exchange the two constants forever.
  const std::optional<machine::Candidate> turns =
      Terminating(Rewrite("('fmul@32', ('fadd@32', ('fmul@32', '#c@32', 'a@32'), 'c'), 'b@32')",
                          "('fmul@32', 'c@32', ('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'b'))"));
  ASSERT_TRUE(turns.has_value());
  EXPECT_EQ(Guarded(*turns, rules::kIsNotConstant), "b");
  // No guard helps, because the replacement contains the search side.
  EXPECT_FALSE(
      Terminating(Rewrite("('fneg@32', 'a@32')", "('fneg@32', ('fneg@32', ('fneg@32', 'a@32')))")).has_value());
  // A rule that terminates by itself is not changed.
  const std::optional<machine::Candidate> ends =
      Terminating(Rewrite("('fneg@32', ('frcp@32', 'a@32'))", "('frcp@32', ('fneg@32', 'a@32'))"));
  ASSERT_TRUE(ends.has_value());
  EXPECT_EQ(Guarded(*ends), "");
}

}  // namespace
}  // namespace rewrought::pipeline
