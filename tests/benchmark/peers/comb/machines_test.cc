#include "tests/benchmark/peers/comb/machines.h"

#include <functional>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace rewrought::peers {
namespace {

// The function of an op on 4-bit numbers, defined here independently of the rows.
using Function = std::function<int(int, int, int)>;

int Signed(int x) { return x >= 8 ? x - 16 : x; }

const std::map<std::string, Function>& Functions() {
  static const auto& functions = *new std::map<std::string, Function>{
      {"inot", [](int a, int, int) { return 15 - a; }},
      {"iand", [](int a, int b, int) { return a & b; }},
      {"ior", [](int a, int b, int) { return a | b; }},
      {"ixor", [](int a, int b, int) { return a ^ b; }},
      {"ineg", [](int a, int, int) { return -a; }},
      {"neg", [](int a, int, int) { return -a; }},
      {"iadd", [](int a, int b, int) { return a + b; }},
      {"isub", [](int a, int b, int) { return a - b; }},
      {"imul", [](int a, int b, int) { return a * b; }},
      {"iadd3", [](int a, int b, int c) { return a + b + c; }},
      {"mac", [](int a, int b, int c) { return a * b + c; }},
      {"nand", [](int a, int b, int) { return 15 - (a & b); }},
      {"bveq", [](int a, int b, int) { return a == b ? 1 : 0; }},
      {"bvneq", [](int a, int b, int) { return a != b ? 1 : 0; }},
      {"bvult", [](int a, int b, int) { return a < b ? 1 : 0; }},
      {"bvule", [](int a, int b, int) { return a <= b ? 1 : 0; }},
      {"bvugt", [](int a, int b, int) { return a > b ? 1 : 0; }},
      {"bvuge", [](int a, int b, int) { return a >= b ? 1 : 0; }},
      {"bvslt", [](int a, int b, int) { return Signed(a) < Signed(b) ? 1 : 0; }},
      {"bvsge", [](int a, int b, int) { return Signed(a) >= Signed(b) ? 1 : 0; }},
      {"flag_not", [](int a, int, int) { return a % 2 == 0 ? a + 1 : a - 1; }},
      {"cmp_Z", [](int a, int b, int) { return a == b ? 1 : 0; }},
      {"cmp_C", [](int a, int b, int) { return a >= b ? 1 : 0; }},
      {"cmp_N", [](int a, int b, int) { return (a - b + 16) % 16 >= 8 ? 1 : 0; }},
      {"cmp_V",
       [](int a, int b, int) {
         const int difference = Signed(a) - Signed(b);
         return difference < -8 || difference > 7 ? 1 : 0;
       }},
  };
  return functions;
}

// Returns the first operands for which an op's table differs from its function, or "" if there are none.
std::string FirstDifference(const CombOp& op, const Function& function) {
  for (int a = 0; a < 16; ++a) {
    for (int b = 0; b < (op.sources > 1 ? 16 : 1); ++b) {
      for (int c = 0; c < (op.sources > 2 ? 16 : 1); ++c) {
        size_t index = static_cast<size_t>(a);
        if (op.sources > 1) index = index << 4 | static_cast<size_t>(b);
        if (op.sources > 2) index = index << 4 | static_cast<size_t>(c);
        if (op.results[index] != (function(a, b, c) & 15))
          return std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c);
      }
    }
  }
  return "";
}

TEST(MachinesTest, RowsMeanWhatTheirNamesSay) {
  size_t checked = 0;
  for (const char* name : {"ab", "cisc", "cmp", "cmp-signed"}) {
    const CombMachine& machine = MachineNamed(name);
    for (const auto* ops : {&machine.ops, &machine.counted_ops, &machine.instructions}) {
      for (const CombOp& op : *ops) {
        if (op.row == nullptr) continue;
        ASSERT_TRUE(Functions().contains(op.row->name)) << op.row->name;
        EXPECT_EQ(FirstDifference(op, Functions().at(op.row->name)), "") << name << " " << op.row->name;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 50u);
}

TEST(MachinesTest, ARowWithAnotherMeaningIsFoundOut) {
  ir::OpRow& carry = *new ir::OpRow;  // leaked, because parsed meanings are cached by address
  carry.name = "cmp_C";
  carry.sources.resize(2);
  carry.meaning = "(zext w (ult b a))";  // less than, without equality
  carry.free_sizes = {4, 8, 16, 32};
  const absl::StatusOr<CombOp> op = OpOf(carry, 5);
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(FirstDifference(*op, Functions().at("cmp_C")), "0 0 0");
}

TEST(MachinesTest, ARowOfAnotherSizeIsNone) {
  ir::OpRow& truth = *new ir::OpRow;
  truth.name = "truth";
  truth.sources.resize(2);
  truth.meaning = "(eq a b)";
  EXPECT_FALSE(OpOf(truth, 1).ok());
}

TEST(MachinesTest, SourcesThatMayChangePlaces) {
  const CombMachine& cisc = MachineNamed("cisc");
  using Alike = std::array<uint8_t, kMostSources>;
  EXPECT_EQ(cisc.instructions[1].alike, (Alike{0, 0, 2}));  // iadd
  EXPECT_EQ(cisc.instructions[3].alike, (Alike{0, 0, 0}));  // iadd3
  EXPECT_EQ(cisc.instructions[4].alike, (Alike{0, 0, 2}));  // mac
  EXPECT_EQ(cisc.counted_ops[2].alike, (Alike{0, 1, 2}));   // negation with two operands
  EXPECT_EQ(MachineNamed("ab").instructions[1].alike, (Alike{0, 1, 2}));
}

}  // namespace
}  // namespace rewrought::peers
