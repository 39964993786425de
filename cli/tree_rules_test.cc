#include "cli/tree_rules.h"

#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

audit::MesaRule InPass(const char* pass, const char* search, const char* replace, const char* condition = "") {
  audit::MesaRule rule;
  rule.pass = pass;
  rule.search = search;
  rule.replace = replace;
  rule.condition = condition;
  return rule;
}

audit::MesaRules SmallTree() {
  audit::MesaRules tree;
  tree.rules = {
      InPass("nir_opt_algebraic", "('iadd', 'a', 0)", "'a'"),
      InPass("nir_opt_algebraic", "('fmul', 'a', 1.0)", "'a'", "!options->lower_fmul"),
      InPass("nir_opt_algebraic", "('isub', 'a', 'b')", "('iadd', 'a', ('ineg', 'b'))", "options->lower_isub"),
      InPass("nir_opt_algebraic", "('no_such_op', 'a')", "'a'"),
      InPass("nir_opt_algebraic_late", "('fneg', ('fneg', 'a'))", "'a'"),
      InPass("nir_opt_algebraic_distribute_src_mods", "('fabs', ('fneg', 'a'))", "('fabs', 'a')"),
      InPass("nir_opt_algebraic_before_ffma", "('imul', 'a', 1)", "'a'"),
  };
  return tree;
}

TEST(TreeRules, TakesWhatTheSubsetMay) {
  const auto all = PassesOf(SmallTree(), TreeSubset::kAll, "tree");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->passes.size(), 3u);  // nir_opt_algebraic_before_ffma is not one of the generic passes
  EXPECT_EQ(all->rules, 5u);
  EXPECT_EQ(all->left_out, 1u);  // this rule contains an op that does not exist
  // A rule that lowers an op does not apply to every driver.
  EXPECT_EQ(PassesOf(SmallTree(), TreeSubset::kNoLowering, "tree")->rules, 4u);
  EXPECT_EQ(PassesOf(SmallTree(), TreeSubset::kEveryDriver, "tree")->rules, 4u);
}

TEST(TreeRules, BehindItsMainLoopADriverRunsTheLatePasses) {
  const auto late = PassesOf(SmallTree(), TreeSubset::kEveryDriver, "tree", nullptr, TreePasses::kFromLate);
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->passes.size(), 2u);
  EXPECT_EQ(late->rules, 2u);
}

TEST(TreeRules, ADriverHasOpsLoweredThatItLacks) {
  audit::MesaRules tree = SmallTree();
  tree.rules.push_back(
      InPass("nir_opt_algebraic", "('ishl', 'a@32', 16)", "('insert_u16', 'a', 1)", "!options->lower_insert_word"));
  tree.rules.push_back(InPass("nir_opt_algebraic", "('fsub', 'a', 'b')", "('fadd', 'a', ('fneg', 'b'))"));
  const auto rules = [&tree](const HasOp& has_op) {
    return PassesOf(tree, TreeSubset::kEveryDriver, "tree", has_op)->rules;
  };
  EXPECT_EQ(rules(nullptr), 6u);
  EXPECT_EQ(rules([](const std::string&) { return true; }), 6u);
  // Rules without a condition, and rules that introduce no op, apply to every driver.
  EXPECT_EQ(rules([](const std::string& op) { return op != "insert_u16"; }), 5u);
  EXPECT_EQ(rules([](const std::string&) { return false; }), 5u);
}

TEST(TreeRules, NamesThePassThatIsMissing) {
  audit::MesaRules tree = SmallTree();
  tree.rules.erase(tree.rules.begin() + 4);
  const absl::Status status = PassesOf(tree, TreeSubset::kAll, "--against x").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "--against x: no pass nir_opt_algebraic_late; name a Mesa tree's src/compiler/nir");
}

TEST(TreeRules, NoBaselineWithoutAPath) {
  const auto baseline = ReadBaseline("harvest", "");
  ASSERT_TRUE(baseline.ok());
  EXPECT_FALSE(baseline->has_value());
}

}  // namespace
}  // namespace rewrought::cli
