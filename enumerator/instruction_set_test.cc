// Tests that each computation of a machine occurs in only one step, in its simplest form, regardless of operand order.
#include "enumerator/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rewrought::enumerator {
namespace {

std::unique_ptr<const InstructionSet> SetOf(const char* machine, InstructionSetOptions options) {
  absl::StatusOr<std::unique_ptr<const InstructionSet>> set =
      InstructionSet::OfMachine(**machine::FindMachine(machine), options);
  EXPECT_TRUE(set.ok()) << set.status();
  return *std::move(set);
}

// Returns the names of the choices of all steps whose flag use is `use`. Names of saturating steps end in " sat".
std::vector<std::string> ChoicesOf(const InstructionSet& set, const machine::Machine& machine, FlagUse use) {
  std::vector<std::string> names;
  for (const Step& step : set.steps()) {
    if (step.flag_use != use) continue;
    const int selector = use == FlagUse::kResultTested ? step.variant->result_flag : step.variant->selector;
    const int choice = use == FlagUse::kResultTested ? step.flag_choice : step.choice;
    names.push_back(machine.selectors()[selector].choices[choice].first +
                    (step.destination_modifiers.empty() ? "" : " sat"));
  }
  return names;
}

TEST(InstructionSetTest, ComparesTurnedRoundAreOneStep) {
  const machine::Machine& machine = **machine::FindMachine("agx_g13");
  const auto set = SetOf("agx_g13", {.only = {"fcmpsel"}});
  const std::vector<std::string> names = ChoicesOf(*set, machine, FlagUse::kNone);
  EXPECT_EQ(std::count(names.begin(), names.end(), "LT"), 2);  // One step each for 32-bit and 16-bit selected values.
  EXPECT_EQ(std::count(names.begin(), names.end(), "GT"), 0);  // Equivalent to LT with exchanged operands.
  EXPECT_EQ(std::count(names.begin(), names.end(), "EQ"), 2);
}

// The flag a > 0 is computed from the plain result. The flag "not zero" of the saturated result is equivalent and
// therefore omitted.
TEST(InstructionSetTest, PlainFlagsStandForSaturatedOnes) {
  const machine::Machine& machine = **machine::FindMachine("intel_gen9");
  const auto set = SetOf("intel_gen9", {.only = {"ADD"}});
  const std::vector<std::string> names = ChoicesOf(*set, machine, FlagUse::kResultTested);
  EXPECT_GE(std::count(names.begin(), names.end(), "G"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "NZ sat"), 0);
}

}  // namespace
}  // namespace rewrought::enumerator
