#include "emitter/pass/pass_order.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

// Additions and products weigh 100, negation and saturation weigh 0, and the weights of the other ops come from a real
// machine.
const OpWeights kWeights = {{"fadd", 100}, {"fmul", 100}, {"ffma", 100}, {"fneg", 0},   {"fabs", 0},
                            {"fsat", 0},   {"imul", 400}, {"ishl", 100}, {"iadd", 100}, {"fdiv", 900},
                            {"f2i", 100},  {"ineg", 100}, {"fmax", 100}};

ir::Rule Parsed(const std::string& text) {
  const auto rule = ir::ParseRule(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << rule.status();
  return *rule;
}

std::string Why(const std::string& text) { return std::string(CheckLowersOrder(Parsed(text), kWeights).message()); }

bool Lowers(const std::string& text) { return CheckLowersOrder(Parsed(text), kWeights).ok(); }

TEST(PassOrder, CountsInstructionsThatAreCertainlyRemoved) {
  // The replacement has two instructions, and the inner sum may have other users.
  EXPECT_FALSE(Lowers("(('fadd', ('imul', 'a', 'b'), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"));
  EXPECT_TRUE(Lowers("(('fadd', ('imul(is_used_once)', 'a', 'b'), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"));
  EXPECT_TRUE(Lowers("(('fmul', ('fadd', 'a', 'b'), 'c'), 'a')"));
  // An op below a value with other users remains, even if the op itself is marked.
  EXPECT_FALSE(
      Lowers("(('fadd', ('fabs', ('imul(is_used_once)', 'a', 'b')), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"));
  // A replacement is a tree: an op that it contains twice is created twice.
  EXPECT_FALSE(
      Lowers("(('fmax', ('fadd(is_used_once)', 'a', 'b'), 'c'), "
             "('fmax', ('fadd', 'a', 'b'), ('fadd', 'a', 'b')))"));
  // Using a variable more often is free, because its value exists already.
  EXPECT_TRUE(Lowers("(('fmul', ('fadd(is_used_once)', 'a', 1.0), 'b'), ('ffma', 'a', 'b', 'b'))"));
}

TEST(PassOrder, WeighsByTheMachineFirst) {
  EXPECT_TRUE(Lowers("(('imul', 'a', 4), ('ishl', 'a', 2))"));
  EXPECT_FALSE(Lowers("(('ishl', 'a', 2), ('imul', 'a', 4))"));
  EXPECT_TRUE(Lowers("(('imul', 'a', 3), ('iadd', ('ishl', 'a', 1), 'a'))"));
  // Sign changes are free if the rule removes an instruction with a weight.
  EXPECT_TRUE(Lowers("(('fadd', ('fmul(is_used_once)', 'a', -1.0), 'b'), ('fadd', ('fneg', ('fabs', 'a')), 'b'))"));
  EXPECT_TRUE(Lowers("(('fneg', ('fneg', 'a')), 'a')"));
  EXPECT_FALSE(Lowers("(('fneg', 'a'), ('fabs', ('fneg', 'a')))"));
  // All sizes of a conversion have the same weight, with or without the size in the name.
  EXPECT_TRUE(Lowers("(('fadd', ('f2i32(is_used_once)', 'a'), 'b'), ('f2i32', 'a'))"));
}

TEST(PassOrder, SizesDecideWhereCyclesAreTheSame) {
  // One instruction replaces another, with fewer or smaller operands.
  EXPECT_TRUE(Lowers("(('fmax', ('fneg', 'a'), ('fneg', 'b')), ('fadd', 'a', 'b'))"));
  EXPECT_FALSE(Lowers("(('fadd', 'a', 'b'), ('fmax', ('fneg', 'a'), ('fneg', 'b')))"));
  // Using a variable more often makes the tree larger.
  EXPECT_FALSE(Lowers("(('fmax', ('fneg', 'a'), 1.0), ('fadd', 'a', 'a'))"));
  // A product of a sum may become a sum of products, but not vice versa.
  EXPECT_TRUE(Lowers("(('fmul', ('fadd(is_used_once)', 'a', 1.0), 'b'), ('fadd', ('fmul', 'a', 'b'), 'b'))"));
  EXPECT_FALSE(Lowers("(('fadd', ('fmul(is_used_once)', 'a', 'b'), 'b'), ('fmul', ('fadd', 'a', 1.0), 'b'))"));
}

TEST(PassOrder, ConstantsAreGatheredIfSomethingElseIsThere) {
  // The driver folds the product of the constants. If `a` is also a constant, the rule would match its own result
  // forever.
  const std::string gather = "(('fmul', ('fmul(is_used_once)', 'a', '#b'), '#c'), ('fmul', 'a', ('fmul', 'b', 'c')))";
  EXPECT_NE(Why(gather).find("where a is a constant"), std::string::npos) << Why(gather);
  EXPECT_TRUE(
      Lowers("(('fmul', ('fmul(is_used_once)', 'a(is_not_const)', '#b'), '#c'), "
             "('fmul', 'a', ('fmul', 'b', 'c')))"));
}

TEST(PassOrder, ProductsMoveToAdditionsThatCanFuseThem) {
  const auto with = [](const std::string& guard, const std::string& mark) {
    return absl::StrReplaceAll(
        "(('fadd', ('fadd(is_used_once)', ('fmul%m', 'a', 'b'), ('fmul%m', 'c', 'd')), 'e%g'), "
        "('fadd', ('fmul', 'a', 'b'), ('fadd', ('fmul', 'c', 'd'), 'e')))",
        {{"%g", guard}, {"%m", mark}});
  };
  EXPECT_TRUE(Lowers(with("(is_not_fmul)", "(is_used_once)")));
  EXPECT_NE(Why(with("", "(is_used_once)")).find("where e is a product"), std::string::npos);
  EXPECT_FALSE(Lowers(with("(is_not_fmul)", "")));  // Products with other users would be duplicated.
}

TEST(PassOrder, TheRootStaysAProductForThoseThatReadIt) {
  // The rule only reduces the number of additions that cannot be fused. Additions that use the root can fuse it only if
  // it is a product or a negated product.
  const auto with = [](const std::string& root) {
    return absl::StrReplaceAll(
        "(('fneg', ('fmul(is_used_once)', ('fadd(is_used_once)', ('fadd(is_used_once)', ('fmul(is_used_once)', 'a', "
        "'b'), ('fmul(is_used_once)', 'c', 'd')), 'e(is_not_fmul)'), 'f')), "
        "('ROOT', ('fmul', ('fadd', ('fmul', 'a', 'b'), ('fadd', ('fmul', 'c', 'd'), 'e')), 'f')))",
        {{"ROOT", root}});
  };
  EXPECT_TRUE(Lowers(with("fneg")));
  EXPECT_NE(Why(with("fabs")).find("the users of its root may weigh more"), std::string::npos) << Why(with("fabs"));
}

TEST(PassOrder, RulesThatLoopedInDrivers) {
  // The new fabs has the flags of the old fabs and matches again.
  EXPECT_FALSE(Lowers("(('fneg', ('fabs(nsz)', 'a')), ('fadd', ('fneg', ('fabs', 'a')), 0.0))"));
  EXPECT_FALSE(Lowers("(('fneg', ('fabs(is_used_once,nsz)', 'a')), ('fadd', ('fneg', ('fabs', 'a')), 0.0))"));
  // The first rule matches its own result. In the pair below, each rule undoes the other, so at most one of them may
  // decrease the measure.
  EXPECT_FALSE(Lowers("(('iadd', 'a', ('ineg', 'b')), ('ineg', ('iadd', 'b', ('ineg', 'a'))))"));
  EXPECT_FALSE(Lowers("(('fadd', 'a', 'b'), ('fadd', 'b', 'a'))"));
  const std::string there = "(('fneg', ('fmul(is_used_once)', 'a', 'b')), ('fmul', ('fneg', 'a'), 'b'))";
  const std::string back = "(('fmul', ('fneg(is_used_once)', 'a'), 'b'), ('fneg', ('fmul', 'a', 'b')))";
  EXPECT_FALSE(Lowers(there) && Lowers(back));
}

TEST(PassOrder, SharingRulesAreCounted) {
  const std::string made = ", 'c'), ('fmul', 'a', ('fmul', 'b', 'c')))";
  EXPECT_TRUE(Lowers("(('fmul', ('fmul(is_used_once)', 'a', 'b(is_shared_with_outer)')" + made));
  EXPECT_NE(
      Why("(('fmul', ('fmul', 'a', 'b(is_shared_with_outer)')" + made).find("an inner fmul of the regrouped chain"),
      std::string::npos);
  // Without the predicate, the number of applications is unlimited. With the predicate, a rule that adds an op is not a
  // regrouping.
  EXPECT_FALSE(Lowers("(('fmul', ('fmul(is_used_once)', 'a', 'b')" + made));
  EXPECT_FALSE(
      Lowers("(('fmul', ('fmul(is_used_once)', 'a', 'b(is_shared_with_outer)'), 'c'), "
             "('fmul', 'a', ('fmul', 'b', ('fmul', 'b', 'c'))))"));
  const auto fit = FindPass(Parsed("(('fmul', ('fmul', 'a', 'b(is_shared_with_outer)')" + made), kWeights);
  ASSERT_TRUE(fit.has_value());
  EXPECT_FALSE(fit->second);
  EXPECT_EQ(fit->marks, std::vector<uint32_t>{1});
}

TEST(PassOrder, NamesOpsWithoutWeight) {
  EXPECT_NE(Why("(('fsqrt', 'a'), 'a')").find("no weight for fsqrt"), std::string::npos);
  EXPECT_NE(Why("(('fadd', ('mov', 'a'), 'b'), 'a')").find("mov"), std::string::npos);
}

TEST(RequiredSingleUseMarks, AreTheFewestThatAreEnough) {
  using Marks = std::vector<uint32_t>;
  const auto marks = [](const std::string& text) { return RequiredSingleUseMarks(Parsed(text), kWeights); };
  EXPECT_EQ(marks("(('fmul', ('fadd', 'a', 'b'), 'c'), 'a')"), Marks());
  EXPECT_EQ(marks("(('fadd', ('fmul', 'a', 'b'), ('fmul', 'a', 'c')), ('fmul', 'a', ('fadd', 'b', 'c')))"),
            Marks({1, 4}));
  // The values in prefix order are fadd 0, fmul 1, a 2, b 3, and imul 4. A mark on the most expensive op suffices.
  EXPECT_EQ(marks("(('fadd', ('fmul', 'a', 'b'), ('imul', 'a', 'c')), ('fadd', ('fmul', 'a', 'b'), 'c'))"), Marks({4}));
  // A chain is marked from the top.
  EXPECT_EQ(marks("(('fadd', ('fabs', ('imul', 'a', 'b')), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"), Marks({1, 2}));
  EXPECT_EQ(marks("(('fneg', 'a'), ('fadd', ('fneg', 'a'), 0.0))"), std::nullopt);
  EXPECT_EQ(marks("(('fadd', ('imul(is_used_by_if)', 'a', 'b'), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))"),
            std::nullopt);
}

TEST(FindPass, TheFirstThatTheRuleFits) {
  const auto factored = FindPass(
      Parsed("(('fadd', ('fmul', 'a', 'b'), ('fmul', 'a', 'c')), ('fmul', 'a', ('fadd', 'b', 'c')))"), kWeights);
  ASSERT_TRUE(factored.has_value());
  EXPECT_FALSE(factored->second);
  EXPECT_EQ(factored->marks.size(), 2u);
  const auto gathered = FindPass(
      Parsed("(('fmul', ('fadd', 'a', '#b'), '#c'), ('fadd', ('fmul', 'a', 'c'), ('fmul', 'b', 'c')))"), kWeights);
  ASSERT_TRUE(gathered.has_value());
  EXPECT_TRUE(gathered->second);
  EXPECT_TRUE(gathered->marks.empty());
  EXPECT_FALSE(FindPass(Parsed("(('fadd', 'a', 'b'), ('fadd', 'b', 'a'))"), kWeights).has_value());
}

TEST(AddWeights, TakesTheMachinesCosts) {
  const machine::Machine& intel = **machine::FindMachine("intel_gen9");
  OpWeights weights;
  AddWeights(intel, Parsed("(('fadd', ('fneg', ('frcp', 'a@32')), ('f2i32', 'b@32')), ('fsat', 'a'))"), &weights);
  EXPECT_EQ(weights.at("fneg"), 0u);
  EXPECT_EQ(weights.at("fsat"), 0u);
  EXPECT_GT(weights.at("fadd"), 0u);
  EXPECT_GT(weights.at("frcp"), weights.at("fadd"));
  EXPECT_TRUE(weights.contains("f2i"));
}

}  // namespace
}  // namespace rewrought::emitter
