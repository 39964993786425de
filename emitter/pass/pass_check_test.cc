#include "emitter/pass/pass_check.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

v1::Pack PackOf(const std::vector<std::pair<std::string, std::string>>& rules) {
  v1::Pack pack;
  pack.mutable_manifest()->set_machine("intel_gen9");
  for (const auto& [search, replace] : rules) {
    v1::RewriteRule* const rule = pack.add_entries()->mutable_rule();
    rule->set_id(search);
    rule->set_search(search);
    rule->set_replace(replace);
  }
  return pack;
}

TEST(CheckPassEnds, NamesTheEntriesThatGoUp) {
  const v1::Pack pack = PackOf({{"('fneg', ('fneg', 'a@32'))", "'a'"},
                                {"('fneg', ('fabs(nsz)', 'a@32'))", "('fadd', ('fneg', ('fabs', 'a')), 0.0)"},
                                {"('no such op', 'a')", "'a'"}});
  const auto findings = CheckPassEnds(pack, {});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].first, "('fneg', ('fabs(nsz)', 'a@32'))");
  EXPECT_NE(findings[0].second.find("may not terminate"), std::string::npos);
}

TEST(CheckPassEnds, GoesByTheStatedWeights) {
  const v1::Pack pack = PackOf({{"('imul', 'a@32', 4)", "('ishl', 'a', 2)"}});
  EXPECT_TRUE(CheckPassEnds(pack, {{"imul", 4}, {"ishl", 1}}).empty());
  EXPECT_EQ(CheckPassEnds(pack, {{"imul", 1}, {"ishl", 4}}).size(), 1u);
  EXPECT_NE(CheckPassEnds(pack, {{"imul", 1}})[0].second.find("no weight for ishl"), std::string::npos);
}

TEST(CheckPassEnds, SecondPassesGoBySizeAlone) {
  // The product of a sum has a larger size than the sum of products, but fewer instructions.
  v1::Pack pack = PackOf(
      {{"('~fmul', ('fadd(is_used_once)', 'a@32', 'b'), 'c')", "('fadd', ('fmul', 'a', 'c'), ('fmul', 'b', 'c'))"}});
  EXPECT_EQ(CheckPassEnds(pack, {}).size(), 1u);
  pack.mutable_entries(0)->set_second_pass(true);
  EXPECT_TRUE(CheckPassEnds(pack, {}).empty());
  pack = PackOf({{"('~fadd', ('fmul(is_used_once)', 'a@32', 'b'), ('fmul(is_used_once)', 'a', 'c'))",
                  "('fmul', 'a', ('fadd', 'b', 'c'))"}});
  EXPECT_TRUE(CheckPassEnds(pack, {}).empty());
  pack.mutable_entries(0)->set_second_pass(true);
  EXPECT_EQ(CheckPassEnds(pack, {}).size(), 1u);
}

TEST(CheckPassEnds, TheFormForPositionsHasToLowerTheSecondOrder) {
  v1::Pack pack = PackOf({{"('~fadd', ('fmul(is_used_once)', 'a@32', 'b'), ('fmul(is_used_once)', 'a', 'c'))",
                           "('fmul', 'a', ('fadd', 'b', 'c'))"}});
  pack.mutable_entries(0)->set_for_positions(true);
  EXPECT_EQ(CheckPassEnds(pack, {}).size(), 1u);
  pack =
      PackOf({{"('~fadd', ('fadd(is_used_once)', ('fmul(is_used_once)', 'a@32', 'b'), ('fmul(is_used_once)', 'c', "
               "'d')), 'e(is_not_fmul)')",
               "('fadd', ('fmul', 'a', 'b'), ('fadd', ('fmul', 'c', 'd'), 'e'))"}});
  pack.mutable_entries(0)->set_for_positions(true);
  EXPECT_TRUE(CheckPassEnds(pack, {}).empty());
}

}  // namespace
}  // namespace rewrought::emitter
