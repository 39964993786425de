#include "ir/dialect/nir26_rows.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/op_table.h"
#include "ir/ops/families.h"
#include "ir/term.h"

namespace rewrought::ir {
namespace {

using ops::kArithmetic;
using ops::kF;
using ops::kF32;
using ops::kU32;

// Returns a conversion that truncates and clamps to the result's type and maps NaN to 0 (nir_opcodes.py:423-433).
OpRow Saturating(const std::string& name, BaseType base, int bits) {
  const bool is_signed = base == BaseType::kInt;
  const std::string low = is_signed ? "(signbit)" : "0", high = is_signed ? "(intmax)" : "-1";
  const std::string convert = is_signed ? "f2i" : "f2u";
  return {.name = name,
          .result = {base, static_cast<uint8_t>(bits), 0},
          .sources = {kF},
          .meaning = absl::StrCat("(ite (isnan a) 0 (ite (", convert, "_in_range r a) (", convert,
                                  " r a) (ite (flt a (f 0.0)) ", low, " ", high, ")))"),
          .reference = "nir_opcodes.py:423-433"};
}

std::vector<OpRow> NewRows() {
  std::vector<OpRow> rows = {
      {.name = "fcanonicalize",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "a",
       .reference = "nir_opcodes.py:234-236"},
      {.name = "fmad",
       .result = kF,
       .sources = {kF, kF, kF},
       .contract = kArithmetic,
       .meaning = "(fadd (fmul a b) c)",
       .properties = kCommutative,
       .reference = "nir_opcodes.py fmad: rounds the product, then the sum"},
      {.name = "fmadz",
       .result = kF32,
       .sources = {kF32, kF32, kF32},
       .contract = kArithmetic,
       .meaning = "(ite (or (iszero a) (iszero b)) (fadd (f 0.0) c) (fadd (fmul a b) c))",
       .properties = kCommutative,
       .reference = "nir_opcodes.py fmadz; folding toward zero adds the sum twice, which is not modeled"},
      {.name = "fmul_rtz",
       .result = kF32,
       .sources = {kF32, kF32},
       .contract = kArithmetic,
       .meaning = "(f2f_rtz 32 (fmul (f2f 64 a) (f2f 64 b)))",
       .properties = kCommutative,
       .reference = "nir_opcodes.py fmul_rtz: the product in binary64 is exact"},
      {.name = "umul_16x16",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = "(mul (and a 0xffff) (and b 0xffff))",
       .properties = kCommutative,
       .reference = "nir_opcodes.py umul_16x16"},
  };
  for (const auto& [name, base, convert] :
       {std::tuple("f2i32_rtne", BaseType::kInt, "f2i"), std::tuple("f2u32_rtne", BaseType::kUint, "f2u")}) {
    rows.push_back({.name = name,
                    .result = {base, 32, 0},
                    .sources = {kF32},
                    .meaning = absl::StrCat("(", convert, " r (froundeven a))"),
                    .poison = absl::StrCat("(not (", convert, "_in_range r (froundeven a)))"),
                    .reference = "nir_opcodes.py:416-417"});
  }
  for (const int bits : {8, 16, 32}) {
    rows.push_back(Saturating(absl::StrCat("f2u", bits, "_sat"), BaseType::kUint, bits));
    rows.push_back(Saturating(absl::StrCat("f2i", bits, "_sat"), BaseType::kInt, bits));
  }
  return rows;
}

// Returns whether Mesa reads the operands of the selection as floats, which our rows for 25.0.7 copy as bits.
bool IsFloatSelection(absl::string_view op) { return absl::StartsWith(op, "fcsel") || op == "b32fcsel_mdg"; }

// Returns whether the op converts floats to integers, and an operand out of range makes the result poison.
bool ConvertsToInteger(absl::string_view op) {
  return (absl::StartsWith(op, "f2i") || absl::StartsWith(op, "f2u")) && !absl::EndsWith(op, "_sat");
}

// Returns the row of Mesa 26 for an op of 25.0.7. Constant folding flushes the sources and the result of every op with
// a float operand or result, except for ops that copy bits (nir_constant_expressions.py).
OpRow ChangedRow(OpRow row) {
  if (row.contract == Contract::kMayFlush) row.contract = kArithmetic;
  if (row.name == "fsat" || row.name == "fmulz" || row.name == "ffmaz") {
    row.free_zero = "";  // fsat(-0) and a product with a zero factor are +0 (nir_opcodes.py:265, 783)
  } else if (row.name == "idiv" || row.name == "irem" || row.name == "imod") {
    row.poison = "";
    row.meaning = absl::StrCat("(ite (and (eq a (signbit)) (eq b -1)) 0 ", row.meaning, ")");
  } else if (row.name == "amul") {
    row.poison = "";
  } else if (ConvertsToInteger(row.name)) {
    // The operand is compared before it is truncated (nir_opcodes.py:357-382).
    row.poison = row.result.base == BaseType::kUint
                     ? "(or (flt a (f 0.0)) (not (f2u_in_range r a)))"
                     : "(or (not (f2i_in_range r a)) (and (eq (f2i r a) (signbit)) (not (feq a (ftrunc a)))))";
  } else if (row.name == "pack_uvec4_to_uint") {
    row.meaning = "(or (and a.x 0xff) (shl (and a.y 0xff) 8) (shl (and a.z 0xff) 16) (shl (and a.w 0xff) 24))";
  } else if (IsFloatSelection(row.name)) {
    row.contract = kArithmetic;
    row.result.base = row.sources[1].base = row.sources[2].base = BaseType::kFloat;
  }
  return row;
}

bool ReadsFloat(const OpRow& row) {
  return std::any_of(row.sources.begin(), row.sources.end(),
                     [](const OperandType& source) { return source.base == BaseType::kFloat; });
}

}  // namespace

const std::vector<OpRow>& NewIn26() {
  static const auto& rows = *new std::vector<OpRow>(NewRows());
  return rows;
}

bool IsGoneIn26(absl::string_view op) {
  for (const char* prefix : {"fall_equal", "fany_nequal", "b8", "b16"}) {
    if (absl::StartsWith(op, prefix)) return true;
  }
  for (const char* name :
       {"fsin_amd", "fcos_amd", "umul_low", "interleave_agx", "unpack_half_2x16_split_x", "unpack_half_2x16_split_y"}) {
    if (op == name) return true;
  }
  // Ops with Boolean results of 8 or 16 bits: b2b8, feq8, ieq16, bitz8, ... bitz32.
  const OpRow* row = FindOp(op);
  if (row == nullptr || row->result.base != BaseType::kBool) return false;
  return row->result.bits == 8 || row->result.bits == 16 || op == "bitz32" || op == "bitnz32";
}

const OpRow* FindOpIn26(absl::string_view name) {
  for (const OpRow& row : NewIn26()) {
    if (row.name == name) return &row;
  }
  return IsGoneIn26(name) ? nullptr : FindOp(name);
}

OpResolver ResolverOf(Dialect dialect) { return dialect == Dialect::kNir26 ? &FindOpIn26 : &FindOp; }

const OpRow& RowIn26(const OpRow& row) {
  static const auto& changed = *[] {
    auto* rows = new absl::flat_hash_map<const OpRow*, OpRow>;
    for (const OpRow* before : AllOps()) rows->emplace(before, ChangedRow(*before));
    return rows;
  }();
  const auto found = changed.find(&row);
  return found == changed.end() ? row : found->second;
}

uint8_t FlagsOfOpIn26(const OpRow& row) {
  constexpr uint8_t kAll = kNoSignedZero | kNoNan | kNoInf;
  const absl::string_view name = row.name;
  const bool float_result = row.result.base == BaseType::kFloat || IsFloatSelection(name);
  if (absl::StartsWith(name, "b2f")) return kNoSignedZero;
  if (float_result && !ReadsFloat(row)) {
    if (absl::StartsWith(name, "i2f") || absl::StartsWith(name, "u2f")) return kNoSignedZero | kNoInf;
    if (absl::StartsWith(name, "unpack_snorm") || absl::StartsWith(name, "unpack_unorm")) return kNoSignedZero;
    return kAll;
  }
  // fisfinite and fisnormal have all bits, because nir_opcodes.py passes their bits as the description.
  if (float_result || absl::StartsWith(name, "fisfinite") || name == "fisnormal") return kAll;
  if (!ReadsFloat(row)) return 0;
  if (row.result.base == BaseType::kBool || name == "frexp_exp" || name == "fmin_agx" || name == "fmax_agx" ||
      absl::StartsWith(name, "pack_snorm") || absl::StartsWith(name, "pack_unorm") || absl::EndsWith(name, "_sat")) {
    return kNoNan | kNoInf;
  }
  if (absl::StartsWith(name, "f2i") || absl::StartsWith(name, "f2u")) return 0;
  return kAll;
}

}  // namespace rewrought::ir
