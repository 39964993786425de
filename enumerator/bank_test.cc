#include "enumerator/bank.h"

#include <set>
#include <string>

#include "enumerator/instruction_set.h"
#include "gtest/gtest.h"
#include "ir/term.h"
#include "machine/cost.h"
#include "machine/legality.h"
#include "machine/machine.h"
#include "machine/program_term.h"

namespace rewrought::enumerator {
namespace {

std::unique_ptr<const InstructionSet> SetOf(const char* machine, InstructionSetOptions options = {}) {
  absl::StatusOr<std::unique_ptr<const InstructionSet>> set =
      InstructionSet::OfMachine(**machine::FindMachine(machine), options);
  EXPECT_TRUE(set.ok()) << set.status();
  return *std::move(set);
}

TEST(BankTest, EqualOptionsGiveEqualBanks) {
  const auto set = SetOf("intel_gen9", {.only = {"ADD", "MUL", "SEL", "MOV", "CMP"}});
  BankOptions options;
  options.max_candidates = 300'000;
  Bank one(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), options);
  Bank two(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), options);
  one.Build(), two.Build();
  EXPECT_GT(one.progress().distinct, 1000u);
  EXPECT_EQ(one.progress().distinct, two.progress().distinct);
  EXPECT_EQ(one.Digest(), two.Digest());
  Bank other(set.get(), {ValueSet::kFloat32, ValueSet::kInteger32}, DefaultConstants(false), options);
  other.Build();
  EXPECT_NE(one.Digest(), other.Digest());
}

TEST(BankTest, KeepsItsMemoryLimit) {
  const auto set = SetOf("agx_g13");
  BankOptions options;
  options.max_bytes = 24u << 20;
  Bank bank(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), options);
  EXPECT_FALSE(bank.Build());
  EXPECT_TRUE(bank.truncated());
  EXPECT_LE(bank.peak_bytes(), options.max_bytes);
  EXPECT_GT(bank.peak_bytes(), options.max_bytes / 3);
}

TEST(BankTest, StopsWhenAsked) {
  const auto set = SetOf("intel_gen9");
  std::stop_source stop;
  BankOptions options;
  options.stop = stop.get_token();
  uint64_t at_stop = 0;
  options.progress = [&](const BankProgress& progress) {
    if (progress.size == 1) at_stop = progress.enumerated, stop.request_stop();
  };
  Bank bank(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), options);
  EXPECT_FALSE(bank.Build());
  EXPECT_GT(at_stop, 0u);
  EXPECT_LT(bank.progress().enumerated, at_stop + 10'000);
}

// A bank keeps several programs that agree on ordinary values if and only if they differ on NaNs and infinities.
TEST(BankTest, AClassKeepsProgramsThatDifferOnTheMixedBlock) {
  const auto set = SetOf("intel_gen9", {.only = {"ADD", "MUL", "SEL", "CMP"}});
  Bank bank(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), {});
  ASSERT_TRUE(bank.Build());
  int of_several = 0;
  bank.ForEachKept(7, [&](const Expression& expression) {
    const Goal goal{bank.Evaluate(expression, BlockKind::kOrdinary), expression.type, 3};
    std::set<std::string> mixed;
    size_t members = 0;
    bool is_one = false;
    bank.LookUp(goal, [&](const Expression& other) {
      is_one = is_one || (other.step == expression.step && other.operands == expression.operands);
      const LaneBlock lanes = bank.Evaluate(other, BlockKind::kMixed);
      mixed.emplace(reinterpret_cast<const char*>(lanes.lane), sizeof(lanes.lane));
      ++members;
    });
    EXPECT_TRUE(is_one);
    EXPECT_EQ(mixed.size(), members);
    of_several += members > 1;
  });
  EXPECT_GT(of_several, 1000);
}

// A bank with `all_inputs` contains every program of an unrestricted bank that reads all inputs.
TEST(BankTest, AllInputsKeepsEveryProgramThatReadsThem) {
  const auto set = SetOf("intel_gen9", {.only = {"ADD", "MUL", "SEL", "CMP", "MAD"}});
  const std::vector<ValueSet> inputs = {ValueSet::kFloat32, ValueSet::kFloat32, ValueSet::kFloat32};
  BankOptions options;
  Bank all(set.get(), inputs, {}, options);
  ASSERT_TRUE(all.Build());
  options.all_inputs = true;
  Bank full(set.get(), inputs, {}, options);
  ASSERT_TRUE(full.Build());
  EXPECT_LT(full.progress().enumerated, all.progress().enumerated / 2);
  int looked_up = 0;
  all.ForEachKept(1, [&](const Expression& expression) {
    if (all.MaskOf(expression) != 7) return;
    ++looked_up;
    bool found = false;
    const Goal goal{all.Evaluate(expression, BlockKind::kOrdinary), expression.type, 7};
    full.LookUp(goal, [&](const Expression& other) { found = found || other.cost <= expression.cost; });
    EXPECT_TRUE(found) << looked_up;
  });
  EXPECT_GT(looked_up, 1000);
  full.ForEachKept(1, [&](const Expression& expression) {
    if (full.SizeOf(expression) == 2) {
      EXPECT_EQ(full.MaskOf(expression), 7);
    }
  });
}

TEST(BankTest, ProgramsOfTwoKeepTheLimitOfConstants) {
  const auto set = SetOf("intel_gen9", {.only = {"ADD", "MUL", "SEL", "CMP"}});
  BankOptions options;
  options.max_immediates = 1;
  Bank bank(set.get(), {ValueSet::kFloat32}, DefaultConstants(false), options);
  ASSERT_TRUE(bank.Build());
  const std::string name = "a";
  int with_one = 0;
  bank.ForEachKept(1, [&](const Expression& expression) {
    if (bank.SizeOf(expression) < 2) return;
    int immediates = 0;
    for (const machine::Instruction& instruction :
         bank.ProgramOf(expression, absl::MakeConstSpan(&name, 1)).instructions) {
      for (const machine::Operand& source : instruction.sources)
        immediates += source.kind == machine::OperandKind::kImmediate;
    }
    EXPECT_LE(immediates, 1);
    with_one += immediates == 1;
  });
  EXPECT_GT(with_one, 100);
}

// Looks up every program of one or two instructions by its own values, and checks these values by evaluating the
// program's term.
TEST(BankTest, ProgramsComputeTheirValues) {
  for (const char* id : {"intel_gen9", "agx_g13"}) {
    const machine::Machine& machine = **machine::FindMachine(id);
    const auto set = SetOf(id);
    BankOptions options;
    options.max_candidates = 400'000;
    const std::vector<ValueSet> inputs = {ValueSet::kFloat32, ValueSet::kInteger32, ValueSet::kBoolean};
    Bank bank(set.get(), inputs, DefaultConstants(false), options);
    bank.Build();
    const std::vector<std::string> names = {"a", "b", "c"};
    int checked = 0, illegal = 0;
    std::set<std::string> mnemonics;
    for (int round = 0; round < 2; ++round) {
      // The goals are the values of a sample of the kept programs.
      bank.ForEachKept(round == 0 ? 7 : 1001, [&](const Expression& expression) {
        if (expression.step < 0 || expression.type.flag) return;
        const machine::Program program = bank.ProgramOf(expression, names);
        if (!machine::CheckLegal(machine, program).ok()) {
          ++illegal;
          return;
        }
        absl::StatusOr<ir::Term> term = machine::ProgramTerm(machine, program);
        ASSERT_TRUE(term.ok()) << term.status();
        absl::StatusOr<Tape> tape = CompileTerm(*term, names);
        ASSERT_TRUE(tape.ok()) << tape.status() << machine::PrintProgram(machine, program);
        double price = 0;
        for (const auto& i : program.instructions) {
          mnemonics.insert(i.variant->mnemonic);
          price += i.variant->cost->issue_cycles + i.variant->cost->latency * 0.001;
        }
        EXPECT_NEAR(price, expression.cost, 1e-3) << machine::PrintProgram(machine, program);
        for (const BlockKind kind : {BlockKind::kOrdinary, BlockKind::kMixed, BlockKind::kZero}) {
          const LaneBlock* lanes[3];
          for (int i = 0; i < 3; ++i) lanes[i] = &InputLanes(inputs[i], i, kind);
          LaneBlock expected;
          TapeScratch scratch;
          tape->Run(Kernels(), lanes, &expected, &scratch);
          const LaneBlock got = bank.Evaluate(expression, kind);
          const bool real = expression.type.kind == ValueKind::kFloat && expression.type.bits == 32;
          EXPECT_EQ(Kernels().hash(got, real, kLanes), Kernels().hash(expected, real, kLanes))
              << machine::PrintProgram(machine, program) << " on " << NameOf(kind);
        }
        ++checked;
      });
    }
    EXPECT_GT(checked, 500) << id;
    EXPECT_LT(illegal, checked / 10) << id;
    EXPECT_GT(mnemonics.size(), 15u) << id;
  }
}

// The limit is reached in the middle of a batch.
TEST(BankTest, KeepsProgramsEvaluatedBeforeALimit) {
  const auto set = SetOf("intel_gen9", {.only = {"ADD"}});
  BankOptions options;
  options.max_candidates = 1;
  Bank bank(set.get(), {ValueSet::kFloat32, ValueSet::kFloat32}, DefaultConstants(false), options);
  EXPECT_FALSE(bank.Build());
  EXPECT_LT(bank.progress().enumerated, 32u);
  EXPECT_GT(bank.progress().distinct, 0u);
}

TEST(BankTest, FindsProgramsOfThreeInstructions) {
  const auto set = SetOf("intel_gen9", {.saturate = false, .result_flags = false, .only = {"AND", "OR", "SHL", "XOR"}});
  BankOptions options;
  options.max_candidates = options.max_longer = 60'000'000;
  Bank bank(set.get(), {ValueSet::kInteger32, ValueSet::kInteger32, ValueSet::kInteger32}, DefaultConstants(false),
            options);
  bank.Build();
  Goal goal;  // ((a << b) ^ c) | a is a chain that reads an input twice; (a & b) << (c | b) is a tree.
  goal.type = {ValueKind::kInteger, 32, false};
  goal.mask = 7;
  Goal tree = goal;
  const auto lanes = [](int slot) -> const LaneBlock& {
    return InputLanes(ValueSet::kInteger32, slot, BlockKind::kOrdinary);
  };
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t a = lanes(0).lane[i], b = lanes(1).lane[i], c = lanes(2).lane[i];
    goal.ordinary.lane[i] = ((a << (b & 31)) ^ c) | a;
    tree.ordinary.lane[i] = (a & b) << ((c ^ b) & 31);
  }
  int found[2] = {0, 0};
  const Goal goals[] = {goal, tree};
  bank.FindLonger(goals, [&](size_t which, const Expression& expression) {
    ++found[which];
    EXPECT_EQ(bank.SizeOf(expression), 3);
    EXPECT_EQ(Kernels().hash(bank.Evaluate(expression, BlockKind::kOrdinary), false, kLanes),
              Kernels().hash(goals[which].ordinary, false, kLanes));
  });
  EXPECT_GT(found[0], 0);
  EXPECT_GT(found[1], 0);
}

TEST(BankTest, FindsLongerProgramsOfWhichSomeBitsMatter) {
  const auto set = SetOf("intel_gen9", {.saturate = false, .result_flags = false, .only = {"AND", "OR", "XOR"}});
  Bank bank(set.get(), {ValueSet::kInteger32, ValueSet::kInteger32, ValueSet::kInteger32}, DefaultConstants(false), {});
  bank.Build();
  const auto lanes = [](int slot) -> const LaneBlock& {
    return InputLanes(ValueSet::kInteger32, slot, BlockKind::kOrdinary);
  };
  Goal goal;  // ((a & b) ^ c) | a in the upper half.
  goal.type = {ValueKind::kInteger, 32, false};
  goal.mask = 7;
  goal.bits.emplace();
  for (int i = 0; i < kLanes; ++i) {
    goal.ordinary.lane[i] = ((lanes(0).lane[i] & lanes(1).lane[i]) ^ lanes(2).lane[i]) | lanes(0).lane[i];
    goal.ordinary.lane[i] &= goal.bits->lane[i] = 0xffff0000;
  }
  Goal none = goal;
  none.ordinary.lane[63] ^= 0x00010000;  // The last lane must also match.
  Goal other_type = goal;
  other_type.type.kind = ValueKind::kFloat;
  int found[3] = {0, 0, 0};
  const Goal goals[] = {goal, none, other_type};
  bank.FindLonger(goals, [&](size_t which, const Expression& expression) {
    ++found[which];
    const LaneBlock value = bank.Evaluate(expression, BlockKind::kOrdinary);
    for (int i = 0; i < kLanes; ++i) EXPECT_EQ(value.lane[i] >> 16, goals[which].ordinary.lane[i] >> 16);
  });
  EXPECT_GT(found[0], 0);
  EXPECT_EQ(found[1], 0);
  EXPECT_EQ(found[2], 0);
}

}  // namespace
}  // namespace rewrought::enumerator
