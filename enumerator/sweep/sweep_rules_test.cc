#include "enumerator/sweep/sweep_rules.h"

#include "enumerator/sweep/sweep_check.h"
#include "gtest/gtest.h"
#include "ir/op_table.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

// Provides two 1-bit variables, a and b, and terms of {iand, inot, ior} over them.
class SweepRulesTest : public ::testing::Test {
 protected:
  SweepRulesTest() {
    for (const char* op : {"iand", "inot", "ior"}) EXPECT_TRUE(terms_.AddOp(*ir::FindOp(op), 1).ok());
    terms_.SetVectors(1, 4, true);
    for (int v = 0; v < 2; ++v) {
      Shape shape;
      shape.leaf = v;
      shape.bits = 1;
      terms_.Add(shape);
    }
  }

  TermIndex Term(const char* op, std::vector<TermIndex> sources) {
    Shape shape;
    shape.bits = 1;
    shape.size = 1;
    for (size_t i = 0; i < terms_.ops().size(); ++i) {
      if (terms_.ops()[i].row == ir::FindOp(op)) shape.op = static_cast<int>(i);
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      shape.sources[i] = sources[i];
      shape.size += terms_.shape(sources[i]).size;
    }
    return terms_.Add(terms_.InOrder(shape));
  }

  Pattern Parse(const char* text) { return *PatternOf(terms_, *ir::ParseTerm(text)); }

  TermTable terms_;
  const TermIndex a_ = 0, b_ = 1;
};

TEST_F(SweepRulesTest, SourcesStandForWhatEqualsThemUnlessRulesHaveADirection) {
  const TermIndex n = Term("inot", {a_}), nn = Term("inot", {n}), both = Term("iand", {a_, b_}),
                  either = Term("ior", {a_, b_});
  for (const bool directed : {false, true}) {
    SweepRules rules(&terms_, directed);
    for (const TermIndex term : {a_, b_, n, either}) rules.AddRepresentative(term);
    // This rule is deliberately wrong, so that its effect is visible.
    rules.AddRule(Parse("('iand@1', ('inot@1', ('inot@1', 'a@1')), 'b@1')"), Parse("('ior@1', 'a@1', 'b@1')"));
    rules.Open({nn});
    EXPECT_EQ(rules.KnownAs(nn), kNoTerm);
    rules.AddRule(nn, a_);
    EXPECT_EQ(rules.KnownAs(nn), a_);
    rules.Close();
    rules.Open({both});
    EXPECT_EQ(rules.KnownAs(both), directed ? kNoTerm : either);
  }
}

TEST_F(SweepRulesTest, RulesLeadBackOnlyWithoutDirection) {
  const TermIndex both = Term("iand", {a_, b_}), either = Term("ior", {a_, b_});
  for (const bool directed : {false, true}) {
    SweepRules rules(&terms_, directed);
    for (const TermIndex term : {a_, b_, both}) rules.AddRepresentative(term);
    rules.AddRule(Parse("('iand@1', 'a@1', 'b@1')"), Parse("('ior@1', 'a@1', 'b@1')"));
    rules.Open({either});
    EXPECT_EQ(rules.KnownAs(either), directed ? kNoTerm : both);
    EXPECT_EQ(rules.Reaches(either, both), !directed);
  }
}

TEST_F(SweepRulesTest, ARuleThatIsLeftOutTakesNoPart) {
  const TermIndex same = Term("iand", {a_, a_});
  SweepRules rules(&terms_, false);
  for (const TermIndex term : {a_, b_}) rules.AddRepresentative(term);
  rules.Open({same});
  const size_t rule = rules.AddRule(same, a_);
  EXPECT_TRUE(rules.Reaches(same, a_));
  rules.SetDisabled(rule, true);
  EXPECT_FALSE(rules.Reaches(same, a_));
  const PatternRule kept(Parse("('iand@1', 'a@1', 'a')"), Parse("'a@1'"));
  const PatternRule other(Parse("('ior@1', 'a@1', 'a')"), Parse("'a@1'"));
  EXPECT_EQ(NotDerived(terms_, rules, {kept}), std::vector<TermIndex>());
  EXPECT_EQ(NotDerived(terms_, rules, {other}), std::vector<TermIndex>{same});
  EXPECT_EQ(NotKnown(rules, {kept, other}), std::vector<size_t>{1});
}

TEST_F(SweepRulesTest, RefusesWhatIsNoneOfTheSweeps) {
  EXPECT_FALSE(PatternOf(terms_, *ir::ParseTerm("('ixor@1', 'a@1', 'b@1')")).ok());
  EXPECT_FALSE(PatternOf(terms_, *ir::ParseTerm("('iand@1', 'a@1', 'c@1')")).ok());
  EXPECT_FALSE(PatternOf(terms_, *ir::ParseTerm("('iand@1', 'a@1', True)")).ok());
}

}  // namespace
}  // namespace rewrought::enumerator
