#include "rules/subsumption.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "ir/text/rule_text.h"
#include "machine/program.h"

namespace rewrought::rules {
namespace {

class SubsumptionTest : public testing::Test {
 protected:
  SubsumptionRule Nir(const std::string& search, const std::string& replace, bool strict = true) {
    return {{&machine_, *ir::ParseTerm(search), std::nullopt, *ir::ParseTerm(replace)}, strict};
  }
  SubsumptionRule Program(const std::string& search, const std::string& program) {
    return {{&machine_, *ir::ParseTerm(search), *machine::ParseProgram(machine_, program), {}}};
  }

  const machine::Machine& machine_ = **machine::FindMachine("intel_gen9");
  const std::string part_ = "('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a', 'b'))";
  const std::string whole_ = "('iadd@32', " + part_ + ", 'c@32')";
  const std::string sum_ = "('iadd@32', ('ixor@32', 'a@32', 'b@32'), 'c@32')";
};

TEST_F(SubsumptionTest, TheRuleOfAPartGivesTheWholeWhateverTheOrder) {
  const SubsumptionRule part = Nir(part_, "('ixor@32', 'a@32', 'b@32')"), whole = Nir(whole_, sum_);
  EXPECT_EQ(Subsumed(machine_, {part, whole}), (std::vector<bool>{false, true}));
  EXPECT_EQ(Subsumed(machine_, {whole, part}), (std::vector<bool>{true, false}));
  EXPECT_EQ(Subsumed(machine_, {whole}), std::vector<bool>{false});
}

TEST_F(SubsumptionTest, ARelatedRuleIsAPartOfOneWithout) {
  const std::string twice = "('iand@32', ('iand@32', 'a@32', '#b@32'), '#c@32')";
  const std::string once = "('iand@32', 'a@32', ('iand@32', 'b@32', 'c@32'))";
  const SubsumptionRule all = Nir(twice, once);
  const SubsumptionRule related{{&machine_, *ir::ParseSearch("('where', " + twice + ", ('ult@1', 'b', 'c'))"),
                                 std::nullopt, *ir::ParseTerm(once)}};
  EXPECT_EQ(Subsumed(machine_, {all, related}), (std::vector<bool>{false, true}));
  EXPECT_EQ(Subsumed(machine_, {related, all}), (std::vector<bool>{true, false}));
  EXPECT_EQ(Subsumed(machine_, {related}), std::vector<bool>{false});
}

TEST_F(SubsumptionTest, AProgramAndItsNirFormAreBothKept) {
  EXPECT_EQ(
      Subsumed(machine_, {Program(part_, "[XOR(r(UD), a(UD), b(UD))]"), Nir(part_, "('ixor@32', 'a@32', 'b@32')")}),
      (std::vector<bool>{false, false}));
}

TEST_F(SubsumptionTest, WhatIsInexactMakesNoStrictRuleNeedless) {
  const SubsumptionRule strict_whole = Nir(whole_, sum_);
  EXPECT_EQ(Subsumed(machine_, {Nir(part_, "('ixor@32', 'a@32', 'b@32')", false), strict_whole}),
            (std::vector<bool>{false, false}));
  EXPECT_EQ(Subsumed(machine_, {Nir(part_, "('ixor@32', 'a@32', 'b@32')"), Nir(whole_, sum_, false)}),
            (std::vector<bool>{false, true}));
}

TEST_F(SubsumptionTest, WhatTheBaselineGivesIsNeedless) {
  // Tuned base selection folds the complement into the source; naive base selection does not.
  const SubsumptionRule folded = Program("('iand@32', 'a@32', ('inot@32', 'b@32'))", "[AND(r(D), a(D), ~b(D))]");
  EXPECT_EQ(Subsumed(machine_, {folded}), std::vector<bool>{true});
  EXPECT_EQ(Subsumed(machine_, {folded}, machine::BaseKind::kNaive), std::vector<bool>{false});
}

}  // namespace
}  // namespace rewrought::rules
