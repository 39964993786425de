#include "tests/benchmark/peers/comb/rule_check.h"

#include "gtest/gtest.h"
#include "tests/benchmark/peers/comb/machines.h"
#include "tests/benchmark/peers/comb/sets.h"

namespace rewrought::peers {
namespace {

Graph Of(uint8_t inputs, std::vector<Step> steps) {
  Graph graph;
  graph.inputs = inputs;
  for (const Step& step : steps) graph.steps[graph.size++] = step;
  return graph;
}

TEST(RuleCheckTest, WhatIsFoundHolds) {
  for (const CombSet& set : AllCombSets()) {
    if (set.name != "fmcad-ab-2-2" && set.name != "fmcad-cmp-2-1" && set.name != "fmcad-cisc-2-2") continue;
    const CombMachine& machine = MachineNamed(set.machine);
    const LowestCostResult found = FindLowestCost(machine.counted_ops, machine.counted_instructions, set.counted);
    EXPECT_TRUE(WrongRules(found.rules, machine.counted_ops, machine.counted_instructions).empty()) << set.name;
  }
}

TEST(RuleCheckTest, TermsReadWhatGraphsRead) {
  const CombMachine& ab = MachineNamed("ab");
  const uint8_t sub = 6, nand = 0, sub_instruction = 1;
  const Graph pattern = Of(3, {{sub, {2, 0}}, {sub, {kFirstStep, 1}}});
  const Graph program = Of(3, {{sub_instruction, {2, 1}}, {nand, {kFirstStep, 0}}});
  EXPECT_EQ(TextOf({pattern, program, {}}, ab.ops, ab.instructions),
            "('isub@4', ('isub@4', 'c@4', 'a@4'), 'b@4') -> ('nand@4', ('isub@4', 'c@4', 'b@4'), 'a@4')");
  // a - b differs from b - a, and a - 1 differs from a - 0.
  const LowestCostRule swapped = {Of(2, {{sub, {0, 1}}}), Of(2, {{sub_instruction, {1, 0}}}), {}};
  EXPECT_EQ(WrongRules({&swapped, 1}, ab.ops, ab.instructions).size(), 1u);
  const CombMachine& cisc = MachineNamed("cisc");
  const LowestCostRule of_one = {Of(1, {{1, {}}, {4, {0, kFirstStep}}}), Of(1, {{0, {0}}, {0, {kFirstStep}}}), {}};
  EXPECT_EQ(WrongRules({&of_one, 1}, cisc.ops, cisc.instructions).size(), 1u);
}

TEST(RuleCheckTest, AnotherProgramIsFoundOut) {
  const CombMachine& machine = MachineNamed("ab");
  LowestCostResult found = FindLowestCost(machine.ops, machine.instructions, {.pattern_steps = 1, .program_steps = 2});
  ASSERT_GT(found.rules.size(), 2u);
  std::swap(found.rules[0].program, found.rules[2].program);
  const std::vector<std::string> wrong = WrongRules(found.rules, machine.ops, machine.instructions);
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_NE(wrong[0].find(": does not hold on all inputs"), std::string::npos) << wrong[0];
}

// The search uses the ops' tables, but the evaluator uses the ops' rows, so the evaluator detects a wrong table.
TEST(RuleCheckTest, WhatAWrongTableLeadsToIsFoundOut) {
  const CombMachine& machine = MachineNamed("ab");
  std::vector<CombOp> instructions = machine.instructions;
  instructions[0].results[0x53] ^= 1;
  const LowestCostOptions options = {.pattern_steps = 2, .program_steps = 2};
  const LowestCostResult found = FindLowestCost(machine.ops, instructions, options);
  EXPECT_LT(found.rules.size(), FindLowestCost(machine.ops, machine.instructions, options).rules.size());
  for (uint8_t& result : instructions[0].results) result ^= 15;
  instructions[0].results[0x53] ^= 1;  // corrupts the table of `and`
  EXPECT_FALSE(WrongRules(FindLowestCost(machine.ops, instructions, options).rules, machine.ops, instructions).empty());
}

TEST(RuleCheckTest, RulesOfFourBitsAloneAreRefutedAtOthers) {
  const CombMachine& cisc = MachineNamed("cisc");
  const uint8_t mul = 5, sub = 4, add = 1, neg = 0;
  // ((a^2)^2)^2 = (a^2)^2 holds only at 4 bits, but a - a = a + -a holds at all widths.
  const uint8_t first = kFirstStep, second = kFirstStep + 1;
  const std::vector<LowestCostRule> rules = {
      {Of(1, {{mul, {0, 0}}, {mul, {first, first}}, {mul, {second, second}}}),
       Of(1, {{2, {0, 0}}, {2, {first, first}}}),
       {}},
      {Of(1, {{sub, {0, 0}}}), Of(1, {{neg, {0}}, {add, {0, first}}}), {}},
  };
  EXPECT_TRUE(WrongRules(rules, cisc.ops, cisc.instructions).empty());
  WideProver prover({});  // evaluation alone is sufficient
  const AtWidth at_8 = prover.Prove(rules, cisc.ops, cisc.instructions, 8);
  EXPECT_EQ(at_8.proved, 1u);
  EXPECT_EQ(at_8.refuted.size(), 1u);
  EXPECT_TRUE(at_8.unknown.empty());
}

}  // namespace
}  // namespace rewrought::peers
