#include "tests/benchmark/peers/comb/cheapest.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/benchmark/peers/comb/machines.h"

namespace rewrought::peers {
namespace {

Graph Of(uint8_t inputs, std::vector<Step> steps) {
  Graph graph;
  graph.inputs = inputs;
  for (const Step& step : steps) graph.steps[graph.size++] = step;
  return graph;
}

// Returns the cost of the cheapest program. Tries every program of up to `most_steps` instructions with all assignments
// of the pattern's inputs to the program's inputs.
double LeastCostBySearchingAll(const Graph& pattern, const CombMachine& machine, int most_steps) {
  double least = std::numeric_limits<double>::infinity();
  for (int size = 1; size <= most_steps; ++size) {
    for (const Graph& program : AllGraphs(machine.instructions, size)) {
      size_t namings = 1;
      for (int i = 0; i < program.inputs; ++i) namings *= pattern.inputs;
      for (size_t naming = 0; naming < namings; ++naming) {
        Graph named = program;
        for (size_t i = 0; i < named.size; ++i) {
          for (int j = 0; j < machine.instructions[named.steps[i].op].sources; ++j) {
            uint8_t& source = named.steps[i].sources[static_cast<size_t>(j)];
            if (source >= kFirstStep) continue;
            size_t digits = naming;
            for (int k = 0; k < source; ++k) digits /= pattern.inputs;
            source = static_cast<uint8_t>(digits % pattern.inputs);
          }
        }
        const double cost = PreferenceOf(named, machine.instructions).cost;
        if (cost < least && SameFunction(pattern, machine.ops, named, machine.instructions, pattern.inputs))
          least = cost;
      }
    }
  }
  return least;
}

class CheapestTest : public testing::TestWithParam<const char*> {};

TEST_P(CheapestTest, IsWhatTryingAllProgramsGives) {
  const CombMachine& machine = MachineNamed(GetParam());
  std::vector<Graph> patterns = AllGraphs(machine.ops, 1);
  std::vector<Graph> larger = AllGraphs(machine.ops, 2);
  for (size_t i = 0; i < larger.size(); i += 7) patterns.push_back(larger[i]);
  const auto cheapest = FindCheapest(patterns, machine.ops, machine.instructions, 2, false);
  size_t found = 0;
  for (size_t i = 0; i < patterns.size(); ++i) {
    const double least = LeastCostBySearchingAll(patterns[i], machine, 2);
    ASSERT_EQ(cheapest[i].has_value(), least < std::numeric_limits<double>::infinity()) << i;
    if (!cheapest[i].has_value()) continue;
    EXPECT_EQ(cheapest[i]->preference.cost, least) << i;
    EXPECT_TRUE(SameFunction(patterns[i], machine.ops, cheapest[i]->program, machine.instructions, patterns[i].inputs));
    ++found;
  }
  EXPECT_GT(found, 10u);
}

INSTANTIATE_TEST_SUITE_P(Machines, CheapestTest, testing::Values("ab", "cisc", "cmp", "cmp-signed"));

TEST(GraphTest, OneKeyForOnePattern) {
  const CombMachine& ab = MachineNamed("ab");
  const uint8_t and_op = 1, sub = 6;
  const Graph pattern = Of(3, {{and_op, {0, 1}}, {sub, {kFirstStep, 2}}});
  EXPECT_EQ(KeyOf(pattern, ab.ops), KeyOf(Of(3, {{and_op, {2, 0}}, {sub, {kFirstStep, 1}}}), ab.ops));
  EXPECT_NE(KeyOf(pattern, ab.ops), KeyOf(Of(3, {{and_op, {0, 1}}, {sub, {2, kFirstStep}}}), ab.ops));
  EXPECT_NE(KeyOf(pattern, ab.ops), KeyOf(Of(2, {{and_op, {0, 1}}, {sub, {kFirstStep, 1}}}), ab.ops));
}

TEST(GraphTest, ThereAreAsManyPatternsAsByHand) {
  // The patterns are not a; neg a; and, or, xor, and add, each of a and b or of a twice; a - b; and a - a.
  EXPECT_EQ(AllGraphs(MachineNamed("ab").ops, 1).size(), 1u + 4 * 2 + 1 + 2);
  // A constant alone has no inputs, so it is not a pattern.
  EXPECT_EQ(AllGraphs(MachineNamed("cisc").ops, 1).size(), 1u + 3 * 2);
}

TEST(GraphTest, PartsAndGeneralForms) {
  const CombMachine& ab = MachineNamed("ab");
  const uint8_t not_op = 0, and_op = 1;
  // The operands of and(not a, not a) are two separate steps or the same step.
  const Graph twice = Of(1, {{not_op, {0}}, {not_op, {0}}, {and_op, {kFirstStep, kFirstStep + 1}}});
  EXPECT_EQ(PartsOf(twice, ab.ops).size(), 3u);  // all three separate, or either `not` together with the `and`
  const Graph once = Of(1, {{not_op, {0}}, {and_op, {kFirstStep, kFirstStep}}});
  EXPECT_EQ(PartsOf(once, ab.ops).size(), 1u);
  EXPECT_EQ(Generalizations(twice, ab.ops).size(), 2u);
  EXPECT_TRUE(Generalizations(once, ab.ops).empty());
}

}  // namespace
}  // namespace rewrought::peers
