// Shorthands in which the tables of this folder are written, and what each family file gives. Included by the row files
// and ir/op_table.cc only.
#ifndef REWROUGHT_IR_OPS_FAMILIES_H_
#define REWROUGHT_IR_OPS_FAMILIES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_row.h"

namespace rewrought::ir::ops {

// Operand types. A letter alone: the row's free size, per component.
inline constexpr OperandType kF = {BaseType::kFloat}, kF16 = {BaseType::kFloat, 16}, kF32 = {BaseType::kFloat, 32};
inline constexpr OperandType kI = {BaseType::kInt}, kI16 = {BaseType::kInt, 16}, kI32 = {BaseType::kInt, 32},
                             kI64 = {BaseType::kInt, 64};
inline constexpr OperandType kU = {BaseType::kUint}, kU16 = {BaseType::kUint, 16}, kU32 = {BaseType::kUint, 32},
                             kU64 = {BaseType::kUint, 64};
inline constexpr OperandType kB = {BaseType::kBool}, kB1 = {BaseType::kBool, 1}, kB32 = {BaseType::kBool, 32};

// `type` with exactly `components` components instead of as many as the node has.
constexpr OperandType Vector(OperandType type, int components) {
  type.components = static_cast<uint8_t>(components);
  return type;
}

// Component `c` of `source` in the language of meanings: a.x.
inline std::string Component(const std::string& source, int c) {
  return absl::StrCat(source, ".", std::string(1, kComponentLetters[c]));
}

// The vectors over which NIR has reductions.
inline constexpr int kReducedComponents[] = {2, 3, 4, 5, 8, 16};

inline constexpr Contract kArithmetic = Contract::kArithmetic, kMayFlush = Contract::kMayFlush;
inline constexpr uint32_t kCommutes = kCommutative, kCommutesAndAssociates = kCommutative | kAssociative;

// Puts the place in Mesa's table, from which types and properties are taken, before each row's own reference.
inline std::vector<OpRow> WithMesaReference(std::vector<OpRow> rows) {
  for (OpRow& row : rows) {
    row.reference =
        absl::StrCat("Mesa 25.0.7 nir_opcodes.py ", row.name, row.reference.empty() ? "" : "; ", row.reference);
  }
  return rows;
}

// Appends one comparison in the sizes that NIR has: `name` with a 1-bit result, and `name`8, 16, 32, where true is all
// ones. `row` states the 1-bit one.
inline void AppendInAllSizes(const OpRow& row, std::vector<OpRow>* rows) {
  rows->push_back(row);
  for (int bits : {8, 16, 32}) {
    OpRow sized = row;
    sized.name = absl::StrCat(row.name, bits);
    sized.result.bits = static_cast<uint8_t>(bits);
    sized.meaning = absl::StrCat("(sext ", bits, " ", row.meaning, ")");
    rows->push_back(sized);
  }
}

// One function per family file; AllOps joins them.
std::vector<OpRow> FloatArithmetic();
std::vector<OpRow> FloatCompare();
std::vector<OpRow> FloatApproximate();
std::vector<OpRow> IntegerArithmetic();
std::vector<OpRow> IntegerCompare();
std::vector<OpRow> LogicAndShift();
std::vector<OpRow> Bitfield();
std::vector<OpRow> BackEnd();
std::vector<OpRow> Select();
std::vector<OpRow> Conversion();
std::vector<OpRow> PackAndVector();

}  // namespace rewrought::ir::ops

#endif  // REWROUGHT_IR_OPS_FAMILIES_H_
