// Shorthands for the op tables of this folder, and the function that each family file defines. Include this header
// only in the row files and in ir/op_table.cc.
#ifndef REWROUGHT_IR_OPS_FAMILIES_H_
#define REWROUGHT_IR_OPS_FAMILIES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_row.h"

namespace rewrought::ir::ops {

// Operand types. A type whose name has no number has the row's free size per component.
inline constexpr OperandType kF = {BaseType::kFloat}, kF16 = {BaseType::kFloat, 16}, kF32 = {BaseType::kFloat, 32};
inline constexpr OperandType kI = {BaseType::kInt}, kI16 = {BaseType::kInt, 16}, kI32 = {BaseType::kInt, 32},
                             kI64 = {BaseType::kInt, 64};
inline constexpr OperandType kU = {BaseType::kUint}, kU16 = {BaseType::kUint, 16}, kU32 = {BaseType::kUint, 32},
                             kU64 = {BaseType::kUint, 64};
inline constexpr OperandType kB = {BaseType::kBool}, kB1 = {BaseType::kBool, 1}, kB32 = {BaseType::kBool, 32};

// Returns `type` with exactly `components` components, instead of the node's number of components.
constexpr OperandType Vector(OperandType type, int components) {
  type.components = static_cast<uint8_t>(components);
  return type;
}

// Returns component `c` of `source` in the syntax of meanings, for example a.x.
inline std::string Component(const std::string& source, int c) {
  return absl::StrCat(source, ".", std::string(1, kComponentLetters[c]));
}

// The vector lengths that NIR's reductions support.
inline constexpr int kReducedComponents[] = {2, 3, 4, 5, 8, 16};

inline constexpr Contract kArithmetic = Contract::kArithmetic, kMayFlush = Contract::kMayFlush;
inline constexpr uint32_t kCommutes = kCommutative, kCommutesAndAssociates = kCommutative | kAssociative;

// Prefixes each row's reference with the op's entry in Mesa's table, which defines the row's types and properties.
inline std::vector<OpRow> WithMesaReference(std::vector<OpRow> rows) {
  for (OpRow& row : rows) {
    row.reference =
        absl::StrCat("Mesa 25.0.7 nir_opcodes.py ", row.name, row.reference.empty() ? "" : "; ", row.reference);
  }
  return rows;
}

// Appends a comparison at every size that NIR supports. `row` describes the comparison with a 1-bit result; the
// variants `name`8, `name`16 and `name`32 return all ones for true.
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
