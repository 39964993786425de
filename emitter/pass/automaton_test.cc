#include "emitter/pass/automaton.h"

#include <gtest/gtest.h>

#include "ir/text/rule_text.h"

namespace rewrought::emitter {
namespace {

TableFigures Count(const std::vector<std::string>& texts, const TableLimits& limits = {}) {
  std::vector<ir::Rule> rules;
  for (const std::string& text : texts) {
    const auto rule = ir::ParseRule(text);
    EXPECT_TRUE(rule.ok()) << text;
    rules.push_back(*rule);
  }
  std::vector<SearchPattern> patterns;
  for (const ir::Rule& rule : rules) patterns.push_back({&rule});
  return CountTables(patterns, limits);
}

TEST(CountTables, OneLevel) {
  // The states are: any value, a constant, and a match of the pattern.
  const TableFigures one = Count({"(('fadd', 'a', 'b'), 'a')"});
  EXPECT_EQ(one.states, 3u);
  EXPECT_EQ(one.entries, 1u);  // No operand affects the state.
  EXPECT_TRUE(one.complete);
  const TableFigures constant = Count({"(('fadd', 'a', 0.0), 'a')"});
  EXPECT_EQ(constant.states, 3u);
  EXPECT_EQ(constant.entries, 4u);  // Each operand is either a constant or not.
}

TEST(CountTables, DeepCommutativePatternsMultiply) {
  // Sums of products, (a b + c d) + e f, have sub-patterns for products and for sums of two and three products.
  const TableFigures deep =
      Count({"(('fadd', ('fadd', ('fmul', 'a', 'b'), ('fmul', 'c', 'd')), ('fmul', 'e', 'f')), 'a')"});
  EXPECT_EQ(deep.states, 5u);
  // One entry for fmul, and nine for fadd with two operands that are each anything, a product, or a sum.
  EXPECT_EQ(deep.entries, 1u + 9u);
  EXPECT_EQ(Count({"(('fadd', 'a', 'b'), 'a')", "(('fadd', 'a', 'b'), 'b')"}).states, 3u);
}

TEST(CountTables, ASecondPlaceOfAConstantIsAnyValue) {
  // As in Mesa 25.0.7, the second occurrence of `b` matches any value, because it has no `#`.
  const TableFigures twice = Count({"(('fmin', ('fmin', '#b', 'a'), 'b'), ('fmin', 'a', 'b'))"});
  EXPECT_EQ(twice.states, 5u);
  EXPECT_EQ(twice.entries, 9u);
}

TEST(CountTables, SizesOfConversionsAreOneOp) {
  EXPECT_EQ(Count({"(('fneg', ('i2f32', 'a')), 'a')", "(('fneg', ('i2f16', 'a')), 'a')"}).states,
            Count({"(('fneg', ('i2f', 'a')), 'a')"}).states);
}

TEST(CountTables, StopsAtItsLimit) {
  std::vector<std::string> texts;
  for (const char* first : {"fadd", "fmul", "fmin"}) {
    for (const char* second : {"fadd", "fmul", "fmin"}) {
      for (const char* third : {"fadd", "fmul"}) {
        texts.push_back(std::string("(('ffma', ('") + first + "', 'a', ('" + second + "', 'b', ('" + third +
                        "', 'c', 'd'))), 'e', ('" + third + "', 'f', ('" + first + "', 'g', 'h'))), 'a')");
      }
    }
  }
  const TableFigures stopped = Count(texts, {100'000, 5});
  EXPECT_FALSE(stopped.complete);
  EXPECT_FALSE(Within(stopped, {100'000, 5}));
  EXPECT_LT(stopped.bytes, 200'000u);
  const TableFigures whole = Count(texts, {1'000'000'000, 1000});
  EXPECT_TRUE(whole.complete);
  EXPECT_GT(whole.bytes, 100'000u);
  EXPECT_TRUE(Within(whole, {1'000'000'000, 1000}));
  EXPECT_FALSE(Within(whole, {1'000'000'000, 0.001}));
}

}  // namespace
}  // namespace rewrought::emitter
