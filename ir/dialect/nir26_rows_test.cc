#include "ir/dialect/nir26_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

// Returns the flags of each op of Mesa 26.2.0-rc1.
std::map<std::string, uint8_t> FlagsOfTree() {
  std::map<std::string, uint8_t> flags;
  std::ifstream file("ir/dialect/testdata/nir26_flags.txt");
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    uint8_t& of_op = flags[words[0]];
    for (size_t i = 1; i < words.size(); ++i)
      of_op |= words[i] == "nsz" ? kNoSignedZero : words[i] == "nnan" ? kNoNan : kNoInf;
  }
  return flags;
}

TEST(Nir26Rows, OpsAndFlagsAreThoseOfTheTree) {
  const std::map<std::string, uint8_t> tree = FlagsOfTree();
  ASSERT_GT(tree.size(), 400u);
  int known = 0;
  for (const auto& [name, flags] : tree) {
    const OpRow* row = FindOpIn26(name);
    EXPECT_FALSE(FindOp(name) != nullptr && row == nullptr) << name;
    if (row == nullptr) continue;
    ++known;
    EXPECT_EQ(FlagsOfOpIn26(*row), flags) << name;
  }
  EXPECT_GT(known, 350);
  for (const OpRow* row : AllOps()) {
    const bool of_nir = absl::StartsWith(row->reference, "Mesa 25.0.7 nir_opcodes.py");
    if (of_nir && !tree.contains(row->name)) {
      EXPECT_EQ(FindOpIn26(row->name), nullptr) << row->name;
    }
  }
}

TEST(Nir26Rows, EveryRowCanBeBuilt) {
  for (const OpRow& row : NewIn26()) EXPECT_TRUE(CheckRow(row).ok()) << row.name;
  for (const OpRow* row : AllOps()) EXPECT_TRUE(CheckRow(RowIn26(*row)).ok()) << row->name;
}

// Returns the row's result for operands of `size` bits, without choices.
uint64_t ResultOf(const OpRow& row, int size, int result_size, const std::vector<uint64_t>& operands) {
  Dag dag;
  MeaningScope scope;
  scope.free_size = size;
  scope.result_size = result_size;
  for (size_t k = 0; k < operands.size(); ++k)
    scope.sources.push_back({dag.InputNamed(std::string(1, static_cast<char>('a' + k)), size)});
  const ValueIndex root = *BuildMeaning(&dag, (*MeaningOf(row))->meaning[0], scope, result_size);
  Evaluator evaluator(&dag);
  evaluator.Start(operands, [](uint32_t) { return uint64_t{0}; });
  return evaluator.Evaluate(root);
}

TEST(Nir26Rows, SaturatingConversionsClamp) {
  const auto convert = [](const char* op, int bits, float x) {
    return ResultOf(*FindOpIn26(op), 32, bits, {std::bit_cast<uint32_t>(x)});
  };
  EXPECT_EQ(convert("f2u8_sat", 8, 300.5f), 255u);
  EXPECT_EQ(convert("f2u8_sat", 8, -1.5f), 0u);
  EXPECT_EQ(convert("f2u8_sat", 8, 254.9f), 254u);
  EXPECT_EQ(convert("f2i8_sat", 8, -200.0f), 0x80u);
  EXPECT_EQ(convert("f2i8_sat", 8, 200.0f), 0x7fu);
  EXPECT_EQ(convert("f2i16_sat", 16, -1.9f), 0xffffu);
  EXPECT_EQ(convert("f2u32_sat", 32, __builtin_inff()), 0xffffffffu);
  EXPECT_EQ(convert("f2i32_sat", 32, -__builtin_inff()), 0x80000000u);
  EXPECT_EQ(convert("f2i32_sat", 32, __builtin_nanf("")), 0u);
  EXPECT_EQ(convert("f2i32_sat", 32, 2147483648.0f), 0x7fffffffu);
}

TEST(Nir26Rows, DivisionOfTheSmallestNumberByMinusOneIsZero) {
  for (const char* op : {"idiv", "irem", "imod"}) {
    const OpRow& row = RowIn26(*FindOp(op));
    EXPECT_EQ(row.poison, "");
    EXPECT_EQ(ResultOf(row, 32, 32, {0x80000000, 0xffffffff}), 0u) << op;
  }
  EXPECT_EQ(ResultOf(RowIn26(*FindOp("idiv")), 32, 32, {7, 0xfffffffe}), 0xfffffffdu);
}

}  // namespace
}  // namespace rewrought::ir
