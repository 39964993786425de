#include "rules/site_rule.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "ir/site_flags.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/program.h"

namespace rewrought::rules {
namespace {

class SiteRuleTest : public testing::Test {
 protected:
  ir::Term Term(const std::string& text) {
    absl::StatusOr<ir::Term> term = ir::ParseTerm(text);
    EXPECT_TRUE(term.ok()) << text << ": " << term.status();
    return *std::move(term);
  }
  machine::Candidate Nir(const std::string& search, const std::string& replace) {
    return {&machine_, Term(search), std::nullopt, Term(replace)};
  }
  double Cycles(const std::string& text) {
    return machine::BaseCost(machine_, Term(text), machine::BaseKind::kTuned)->issue_cycles;
  }

  const machine::Machine& machine_ = **machine::FindMachine("intel_gen9");
  const std::string xor_ = "('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a', 'b'))";
};

TEST_F(SiteRuleTest, FitsWholeFragmentsOnly) {
  const SiteRule rule = *SiteRule::Create(Nir(xor_, "('ixor@32', 'a@32', 'b@32')"));
  EXPECT_TRUE(rule.Fits(Term("('ixor@32', ('iand@32', 'y@32', 'x@32'), ('ior@32', 'x', 'y'))")));
  EXPECT_FALSE(rule.Fits(Term("('iadd@32', " + xor_ + ", 'c@32')")));
  EXPECT_FALSE(rule.Fits(Term("('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a', 'c@32'))")));
}

// A variable of a NIR rule also matches constants. In a program, a variable is a register.
TEST_F(SiteRuleTest, VariablesOfNirRulesMatchConstants) {
  const ir::Term fragment = Term("('ixor@32', ('iand@32', 'x@32', 0x00000007@32), ('ior@32', 'x', 0x00000007@32))");
  const SiteRule rule = *SiteRule::Create(Nir(xor_, "('ixor@32', 'a@32', 'b@32')"));
  EXPECT_TRUE(rule.Fits(fragment));
  const std::map<std::string, uint64_t> constants = rule.SymbolsIn(fragment);
  EXPECT_EQ(constants.size(), 1u);
  const absl::StatusOr<SiteSaving> saving = SavingAt(rule.candidate(), fragment, 0, 0, {}, constants);
  ASSERT_TRUE(saving.ok()) << saving.status();
  EXPECT_EQ(saving->tuned_cycles, Cycles(ir::PrintTerm(fragment)) - Cycles("('ixor@32', 'x@32', 0x00000007@32)"));
  const absl::StatusOr<machine::Program> program = machine::ParseProgram(machine_, "[XOR(r(D), a(D), b(D))]");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_FALSE(SiteRule::Create({&machine_, Term(xor_), *program, {}})->Fits(fragment));
}

TEST_F(SiteRuleTest, SymbolsStandForConstants) {
  const SiteRule rule = *SiteRule::Create(Nir("('fmul@32', 'a@32', '#b@32')", "('fmul@32', 'b@32', 'a@32')"));
  EXPECT_FALSE(rule.Fits(Term("('fmul@32', 'a@32', 'b@32')")));
  const ir::Term fragment = Term("('fmul@32', 'x@32', 0x40400000@32)");
  EXPECT_TRUE(rule.Fits(fragment));
  EXPECT_EQ(rule.SymbolsIn(fragment), (std::map<std::string, uint64_t>{{"b", 0x40400000}}));
}

TEST_F(SiteRuleTest, RelationsBetweenSymbolsAreMet) {
  const machine::Candidate related{
      &machine_, *ir::ParseSearch("('where', ('umin@32', ('umin@32', 'a@32', '#b@32'), '#c@32'), ('ult@1', 'b', 'c'))"),
      std::nullopt, Term("('umin@32', 'a@32', 'b@32')")};
  const SiteRule rule = *SiteRule::Create(related);
  const auto twice = [&](const std::string& b, const std::string& c) {
    return Term("('umin@32', ('umin@32', 'x@32', " + b + "@32), " + c + "@32)");
  };
  EXPECT_TRUE(rule.Fits(twice("3", "7")));
  EXPECT_FALSE(rule.Fits(twice("7", "7")));
  EXPECT_FALSE(rule.Fits(twice("7", "3")));
  EXPECT_EQ(rule.SymbolsIn(twice("3", "7")), (std::map<std::string, uint64_t>{{"b", 3}, {"c", 7}}));
  EXPECT_TRUE(rule.SymbolsIn(twice("7", "3")).empty());
  EXPECT_EQ(OpMultiset(related.search), OpMultiset(twice("3", "7")));
  const auto saving = SavingAt(related, twice("3", "7"), 0, 0, {}, {{"b", 3}, {"c", 7}});
  ASSERT_TRUE(saving.ok()) << saving.status();
  EXPECT_TRUE(saving->Pays());
  // If the inner minimum has other users, it must still be computed.
  const std::vector<ir::NodeIndex> single = MustHaveNoOtherUser(related);
  ASSERT_EQ(single.size(), 1u);
  EXPECT_EQ(related.search.at(single[0]).op->name, "umin");
  EXPECT_TRUE(rule.AppliesAt(twice("3", "7"), 0, 0, ""));
  EXPECT_FALSE(rule.AppliesAt(twice("3", "7"), 0, 2, ""));
}

TEST_F(SiteRuleTest, FlagsAndFactsOfTheSiteDecide) {
  const SiteRule rule = *SiteRule::Create(Nir("('fadd@32(nsz)', 'a@32', 0x00000000@32)", "'a@32'"));
  const ir::Term fragment = Term("('fadd@32', 'a@32', 0x00000000@32)");
  EXPECT_TRUE(rule.Fits(fragment));
  EXPECT_FALSE(rule.AppliesAt(fragment, 0, 0, ""));
  EXPECT_TRUE(rule.AppliesAt(fragment, ir::SiteFlagsOf(ir::kNoSignedZero), 0, ""));
}

TEST_F(SiteRuleTest, WhatHasOtherUsersIsPaidBesides) {
  const machine::Candidate rule = Nir(xor_, "('ixor@32', 'a@32', 'b@32')");
  const ir::Term fragment = Term(xor_);
  const double one = Cycles("('iand@32', 'a@32', 'b@32')");
  EXPECT_EQ(BudgetAt(machine_, fragment, 0)->cycles, Cycles(xor_));
  EXPECT_EQ(BudgetAt(machine_, fragment, 2)->cycles, Cycles(xor_) - one);
  EXPECT_EQ(SavingAt(rule, fragment, 0, 0, {}, {})->tuned_cycles, 2 * one);
  EXPECT_EQ(SavingAt(rule, fragment, 0, 2, {}, {})->tuned_cycles, one);
  EXPECT_FALSE(SavingAt(rule, fragment, 0, 6, {}, {})->Pays());
  // One of the two inner ops may have other users; if both do, the rule saves nothing.
  EXPECT_EQ(MustHaveNoOtherUser(rule).size(), 1u);
}

TEST_F(SiteRuleTest, WhatMadeAVariableDecides) {
  const SiteRule rule = *SiteRule::Create(
      Nir("('~fadd@32', ('fmul@32', 'a@32', 'b@32'), 'c@32(is_not_fmul)')", "('ffma@32', 'a@32', 'b@32', 'c@32')"));
  const ir::Term fragment = Term("('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'c@32')");
  EXPECT_TRUE(rule.AppliesAt(fragment, 0, 0, ";;"));
  EXPECT_TRUE(rule.AppliesAt(fragment, 0, 0, "product;product;"));
  EXPECT_FALSE(rule.AppliesAt(fragment, 0, 0, ";;product"));
}

TEST_F(SiteRuleTest, WhatIsSharedIsSavedWhereverItIsButOnce) {
  const std::string search = "('iadd@32', ('iadd@32', 'a@32', 'b@32";
  const SiteRule rule = *SiteRule::Create(
      Nir(search + "(is_shared_with_outer)'), 'c@32')", "('iadd@32', 'a@32', ('iadd@32', 'b@32', 'c@32'))"));
  const ir::Term fragment = Term(search + "'), 'c@32')");
  EXPECT_TRUE(rule.AppliesAt(fragment, 0, 0, ";chains=4;"));
  EXPECT_TRUE(rule.AppliesAt(fragment, 0, 0, "chains=2;;"));
  EXPECT_FALSE(rule.AppliesAt(fragment, 0, 0, ";;"));
  EXPECT_FALSE(rule.AppliesAt(fragment, 0, 0, ";second_chains=4;"));
  const double one = Cycles("('iadd@32', 'a@32', 'b@32')");
  ir::ValueFacts four, none;
  four.chains = 4;
  const absl::StatusOr<SiteSaving> saving = SavingAt(rule.candidate(), fragment, 0, 0, {none, four, none}, {});
  ASSERT_TRUE(saving.ok()) << saving.status();
  EXPECT_DOUBLE_EQ(saving->tuned_cycles, one * 3 / 4);
  EXPECT_FALSE(SavingAt(rule.candidate(), fragment, 0, 0, {none, none, none}, {})->Pays());
}

TEST_F(SiteRuleTest, AnFsatIsFreeWhereItsInputWasMadeForIt) {
  const machine::Candidate rule =
      Nir("('fmul@32', ('fsat@32', 'a@32'), ('fsat@32', 'a'))", "('fsat@32', ('fmul@32', 'a@32', ('fabs@32', 'a')))");
  const ir::Term fragment = Term("('fmul@32', ('fsat@32', 'a@32'), ('fsat@32', 'a'))");
  ir::ValueFacts made;
  EXPECT_TRUE(SavingAt(rule, fragment, 0, 0, {made}, {})->Pays());
  made.saturable = true;
  EXPECT_FALSE(SavingAt(rule, fragment, 0, 0, {made}, {})->Pays());
  // An fsat that remains costs the same on both sides.
  const machine::Candidate other =
      Nir("('fmul@32', ('fmul@32', ('fsat@32', 'a@32'), 1.0@32), 'b@32')", "('fmul@32', ('fsat@32', 'a@32'), 'b@32')");
  const ir::Term longer = Term("('fmul@32', ('fmul@32', ('fsat@32', 'a@32'), 1.0@32), 'b@32')");
  EXPECT_EQ(SavingAt(other, longer, 0, 0, {made}, {})->tuned_cycles,
            SavingAt(other, longer, 0, 0, {}, {})->tuned_cycles);
}

TEST_F(SiteRuleTest, ABudgetAdmitsWhatIsCheaperOrAsCheapInItsPlace) {
  machine::Cost cost;
  cost.issue_cycles = 4;
  cost.instructions = 2;
  EXPECT_TRUE((SiteBudget{4, 2, true}.Admits(cost)));
  EXPECT_FALSE((SiteBudget{4, 2, false}.Admits(cost)));
  EXPECT_TRUE((SiteBudget{4, 3, false}.Admits(cost)));
  EXPECT_TRUE((SiteBudget{5, 1, false}.Admits(cost)));
  EXPECT_FALSE((SiteBudget{3, 9, true}.Admits(cost)));
}

}  // namespace
}  // namespace rewrought::rules
