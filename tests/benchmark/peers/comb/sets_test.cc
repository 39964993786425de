#include "tests/benchmark/peers/comb/sets.h"

#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/benchmark/peers/comb/all_rules.h"
#include "tests/benchmark/peers/comb/machines.h"

namespace rewrought::peers {
namespace {

const CombSet& SetNamed(absl::string_view name) {
  for (const CombSet& set : AllCombSets()) {
    if (set.name == name) return set;
  }
  ADD_FAILURE() << "no set " << name;
  return AllCombSets()[0];
}

size_t Count(const CombSet& set, const LowestCostOptions& options) {
  const CombMachine& machine = MachineNamed(set.machine);
  return FindLowestCost(machine.counted_ops, machine.counted_instructions, options).rules.size();
}

TEST(SetsTest, NamesAreDifferent) {
  std::set<std::string> names;
  for (const CombSet& set : AllCombSets()) EXPECT_TRUE(names.insert(set.name).second) << set.name;
  EXPECT_EQ(names.size(), 15u);
}

// Tests the counts of Comb's runs in which no query timed out (docs/peers.md 6).
TEST(SetsTest, PublishedCounts) {
  for (const char* name : {"fmcad-ab-2-2", "fmcad-ab-2-3", "fmcad-cisc-2-2", "fmcad-cmp-2-1", "fmcad-cmp-2-2"}) {
    const CombSet& set = SetNamed(name);
    EXPECT_EQ(static_cast<double>(Count(set, set.counted)), set.peer_rules) << name;
  }
}

TEST(SetsTest, PublishedCountsOfAllRules) {
  for (const char* name : {"fmcad-ab-2-2-all", "fmcad-cisc-2-2-all", "fmcad-cmp-2-2-all"}) {
    const CombSet& set = SetNamed(name);
    const CombMachine& machine = MachineNamed(set.machine);
    EXPECT_EQ(static_cast<double>(
                  FindAllRules(machine.counted_ops, machine.counted_instructions, 2, 2, set.counted.composites).size()),
              set.peer_rules)
        << name;
  }
}

// Changing any definition changes the count; docs/peers.md 6 lists the effects.
TEST(SetsTest, EachDefinitionChangesTheCount) {
  const CombSet& set = SetNamed("fmcad-ab-2-2");
  LowestCostOptions options = set.counted;
  options.composites = Composites::kAll;
  EXPECT_EQ(Count(set, options), 114u);
  options.composites = Composites::kNone;
  EXPECT_EQ(Count(set, options), 125u);
  options = set.counted;
  options.all_inputs = false;
  EXPECT_EQ(Count(set, options), 93u);
  options = set.counted;
  options.special_first = false;
  EXPECT_EQ(Count(set, options), 116u);
  const CombMachine& machine = MachineNamed(set.machine);
  EXPECT_EQ(FindLowestCost(machine.ops, machine.counted_instructions, set.counted).rules.size(), 92u);
  EXPECT_EQ(FindLowestCost(machine.counted_ops, machine.instructions, set.counted).rules.size(), 131u);
  EXPECT_EQ(FindLowestCost(machine.ops, machine.instructions, Plain(set)).rules.size(), 78u);
}

// A wrong row changes the result. Here, `nand` computes `and`.
TEST(SetsTest, AWrongInstructionChangesTheCount) {
  const CombSet& set = SetNamed("fmcad-ab-2-2");
  const CombMachine& machine = MachineNamed(set.machine);
  std::vector<CombOp> instructions = machine.counted_instructions;
  for (uint8_t& result : instructions[0].results) result ^= 15;
  EXPECT_NE(static_cast<double>(FindLowestCost(machine.counted_ops, instructions, set.counted).rules.size()),
            set.peer_rules);
}

}  // namespace
}  // namespace rewrought::peers
