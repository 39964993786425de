#include "audit/shadow.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/dialect/reading.h"
#include "ir/text/rule_text.h"

namespace rewrought::audit {
namespace {

struct Text {
  const char* rule;
  const char* condition = "";
};

std::optional<size_t> ShadowOfLast(const std::vector<Text>& texts, const ir::SizeOptions& sizes = {}) {
  std::vector<PassRule> pass;
  for (const Text& text : texts) {
    absl::StatusOr<ir::Rule> rule = ir::ParseRule(text.rule, 1, nullptr, sizes.find);
    EXPECT_TRUE(rule.ok()) << text.rule << ": " << rule.status().message();
    if (!rule.ok()) return std::nullopt;
    rule->condition = text.condition;
    pass.push_back({*std::move(rule)});
  }
  return FindShadows(pass, sizes).back();
}

TEST(ShadowTest, ZerosOfMesa26MatchThemselvesOnly) {
  const std::vector<Text> rules = {{"(('fadd', 'a', 0.0), 'a')"}, {"(('fadd', 'a', -0.0), 'a')"}};
  EXPECT_EQ(ShadowOfLast(rules), 0u);
  EXPECT_EQ(ShadowOfLast(rules, {.literals_exact = true}), std::nullopt);
}

// `~` and `contract` are conditions on the marked node and on the nodes below it.
TEST(ShadowTest, InMesa26TheLaterRuleMustPermitAsMuch) {
  const ir::SizeOptions sizes = ir::SizeOptionsIn(ir::Dialect::kNir26);
  const auto shadows = [&](const char* earlier, const char* later) {
    return ShadowOfLast({{earlier}, {later}}, sizes).has_value();
  };
  const char *const sum = "(('fadd', 'a', 'b'), 'a')", *const contracted = "(('fadd(contract)', 'a', 'b'), 'a')";
  const char* const inexact = "(('~fadd', 'a', 'b'), 'a')";
  EXPECT_FALSE(shadows(contracted, sum));
  EXPECT_TRUE(shadows(sum, contracted));
  EXPECT_TRUE(shadows(contracted, contracted));
  EXPECT_TRUE(shadows(contracted, inexact));
  EXPECT_FALSE(shadows(inexact, contracted));
  EXPECT_FALSE(shadows("(('fsub(contract)', ('fmul', 'a', 'b'), 'c'), 'a')",
                       "(('fsub', ('fmul(contract)', 'a', 'b'), 'c'), 'a')"));
  EXPECT_TRUE(shadows("(('fsub', ('fmul(contract)', 'a', 'b'), 'c'), 'a')",
                      "(('fsub(contract)', ('fmul', 'a', 'b'), 'c'), 'a')"));
  EXPECT_FALSE(
      shadows("(('fsub', ('~fmul', 'a', 'b'), 'c'), 'a')", "(('fsub', ('fmul', 'a', 'b'), ('~fmul', 'c', 'd')), 'a')"));
}

// A predicate is weaker for a comparison that does not preserve NaN than for a bcsel.
TEST(ShadowTest, InMesa26APredicateDependsOnTheReader) {
  const ir::SizeOptions sizes = ir::SizeOptionsIn(ir::Dialect::kNir26);
  const char* const of_bcsel = "(('bcsel', ('flt', 'a', 'b'), 'a(is_a_number)', 'b'), 'a')";
  const char* const of_flt = "(('bcsel', ('flt', 'a(is_a_number)', 'b'), 'a', 'b'), 'a')";
  EXPECT_EQ(ShadowOfLast({{of_bcsel}, {of_flt}}, sizes), std::nullopt);
  const char* const single = "(('flt', 'a(is_a_number)', 'b'), True)";
  EXPECT_EQ(ShadowOfLast({{single}, {single}}, sizes), 0u);
}

TEST(ShadowTest, WhatAnEarlierRuleTakesWhole) {
  EXPECT_EQ(
      ShadowOfLast({{"(('ineg', 'a'), 'a')"}, {"(('iadd', 'a', 'b'), 'a')"}, {"(('iadd@32', ('ineg', 'c'), 7), 'c')"}}),
      1u);
  EXPECT_EQ(ShadowOfLast({{"(('iadd', 'a', ('ineg', 'b')), 'a')"}, {"(('iadd', ('ineg', 'a'), 'b'), 'a')"}}), 0u)
      << "either order";
  EXPECT_EQ(ShadowOfLast({{"(('fadd', 'a', 0.0), 'a')"}, {"(('fadd@32', ('fabs', 'a'), 0.0), 'a')"}}), 0u);
  EXPECT_EQ(ShadowOfLast({{"(('imul', 'a', '#b(is_pos_power_of_two)'), 'a')"}, {"(('imul', 'a@32', 8), 'a')"}}), 0u);
  EXPECT_EQ(ShadowOfLast({{"(('fmul(is_used_once)', 'a', 'b(is_finite)'), 'a')"},
                          {"(('fmul(is_used_once)', 'a(is_finite)', ('fneg', 'b')), 'a')"}}),
            0u);
}

TEST(ShadowTest, ConstantVariablesOfBothRules) {
  const char* kSum = "(('imul', ('iadd', 'a', '#b'), '#c'), 'a')";
  EXPECT_EQ(ShadowOfLast({{kSum}, {kSum}}), 0u);
  EXPECT_EQ(ShadowOfLast({{kSum}, {"(('imul', ('iadd', 'a', '#b(is_odd)'), 'b'), 'a')"}}), 0u);
  EXPECT_FALSE(ShadowOfLast({{kSum}, {"(('imul', ('iadd', 'a', '#b'), 'c'), 'a')"}})) << "c need not be a constant";
  EXPECT_FALSE(ShadowOfLast({{"(('imul', 'a', '#b(is_odd)'), 'a')"}, {"(('imul', 'a', '#b'), 'a')"}}));
}

TEST(ShadowTest, NotWhereAProgramIsLeft) {
  const char* kAll = "(('iadd', 'a', 'b'), 'a')";
  EXPECT_FALSE(ShadowOfLast({{kAll, "options->x"}, {"(('iadd', 'a', 1), 'a')"}})) << "only under a condition";
  EXPECT_TRUE(ShadowOfLast({{kAll, "options->x"}, {"(('iadd', 'a', 1), 'a')", "options->y && options->x"}}));
  EXPECT_FALSE(ShadowOfLast({{"(('iadd', 'a', 'a'), 'a')"}, {kAll}})) << "the same value twice";
  EXPECT_FALSE(ShadowOfLast({{"(('iadd@32', 'a', 'b'), 'a')"}, {kAll}})) << "only one size";
  EXPECT_FALSE(ShadowOfLast({{"(('iadd', 'a', '#b'), 'a')"}, {kAll}})) << "only constants";
  EXPECT_FALSE(ShadowOfLast({{"(('~fadd', 'a', 'b'), 'a')"}, {"(('fadd', 'a', 'b'), 'a')"}})) << "not if exact";
  EXPECT_FALSE(
      ShadowOfLast({{"(('fadd', ('~fmul', 'a', 'b'), 'c'), 'a')"}, {"(('fadd', ('fmul', 'a', 'b'), 'c'), 'a')"}}));
  EXPECT_TRUE(ShadowOfLast({{"(('~fadd', 'a', 'b'), 'a')"}, {"(('~fadd', 'a', 1.0), 'a')"}}));
  EXPECT_FALSE(ShadowOfLast({{"(('fadd(nsz)', 'a', 'b'), 'a')"}, {"(('fadd', 'a', 1.0), 'a')"}}));
  EXPECT_FALSE(ShadowOfLast({{"(('iadd(is_used_once)', 'a', 'b'), 'a')"}, {kAll}}));
  EXPECT_FALSE(
      ShadowOfLast({{"(('fadd', 'a(is_not_fmul)', 'b'), 'a')"}, {"(('fadd', ('fneg', 'a'), ('fneg', 'b')), 'a')"}}))
      << "the operand of fneg may be an fmul";
  EXPECT_FALSE(ShadowOfLast({{"(('fadd', 'a', 0), 'a')"}, {"(('fadd', 'a', 0.0), 'a')"}}))
      << "0.0 matches -0.0, 0 does not";
  EXPECT_TRUE(ShadowOfLast({{"(('fadd', 'a', 0.0), 'a')"}, {"(('fadd', 'a', -0.0), 'a')"}}));
  EXPECT_FALSE(ShadowOfLast({{"(('bcsel', 'a@bool', 'b', 'c'), 'b')"}, {"(('bcsel', 'a', 'b', 'c'), 'b')"}}));
  EXPECT_FALSE(ShadowOfLast({{"(('bcsel', 'a', 'b', False), 'b')"}, {"(('bcsel', 'a', 1, 0), ('b2i', 'a'))"}}))
      << "False has one bit";
  EXPECT_FALSE(ShadowOfLast({{"(('ine', ('iand', 'a', '#b'), 'b'), 'a')"}, {"(('ine', ('iand', 'a', 4), 4), 'a')"}}))
      << "the matcher distinguishes equal constants";
  EXPECT_FALSE(ShadowOfLast({{"(('iand', 'a', 'a'), 'a')"}, {"(('iand', ('ineg', 'a'), ('ineg', 'a')), 'a')"}}))
      << "two instructions may compute the same value";
  EXPECT_FALSE(ShadowOfLast({{"(('iadd', 'a', 1), 'a')"}, {kAll}})) << "the later rule is more general";
}

}  // namespace
}  // namespace rewrought::audit
