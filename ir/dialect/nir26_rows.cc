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
using ops::kI;
using ops::kI32;
using ops::kU;
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

// Returns the rows of bitfield ops that have a free size in Mesa 26 and 32 bits in 25.0.7. Constant folding truncates
// 64-bit operands to 32 bits, contrary to GLSL; these rows do not. At 8 and 16 bits, folding defines a bitfield_insert
// that extends beyond the value, up to bit 32, although GLSL leaves it undefined.
std::vector<OpRow> SizedBitfieldRows() {
  const std::string extract_undefined = "(and (not (eq c 0)) (or (slt b 0) (slt c 0) (ult w (add b c))))";
  const auto extract = [&](const std::string& shift) {
    return absl::StrCat("(ite (eq c 0) 0 (", shift, " (shl a (resize w (sub w (add b c)))) (resize w (sub w c))))");
  };
  const auto insert = [](int bits) {
    const std::string b = absl::StrCat(bits);
    return absl::StrCat("(let offset (zext ", b, " c) (let mask (shl (sub (shl 1 (zext ", b,
                        " d)) 1) offset) (resize w (or (and (not mask) (zext ", b, " a)) (and mask (shl (zext ", b,
                        " b) offset))))))");
  };
  const auto insert_undefined = [](int bits) {
    return absl::StrCat("(and (not (eq d 0)) (or (slt c 0) (slt d 0) (ult ", bits, " (add c d))))");
  };
  const auto by_width = [](const std::string& at_64, const std::string& otherwise) {
    return absl::StrCat("(by_width (64 ", at_64, ") (else ", otherwise, "))");
  };
  return {
      {.name = "ubitfield_extract",
       .result = kU,
       .sources = {kU, kI32, kI32},
       .meaning = extract("lshr"),
       .poison = extract_undefined,
       .reference = "nir_opcodes.py ubitfield_extract; GLSL 4.60 8.8 at 64 bits"},
      {.name = "ibitfield_extract",
       .result = kI,
       .sources = {kI, kI32, kI32},
       .meaning = extract("ashr"),
       .poison = extract_undefined,
       .reference = "nir_opcodes.py ibitfield_extract; GLSL 4.60 8.8 at 64 bits"},
      {.name = "bitfield_insert",
       .result = kU,
       .sources = {kU, kU, kI32, kI32},
       .meaning = by_width(insert(64), insert(32)),
       .poison = by_width(insert_undefined(64), insert_undefined(32)),
       .reference = "nir_opcodes.py bitfield_insert; GLSL 4.60 8.8 at 64 bits"},
      {.name = "bitfield_reverse",
       .result = kU,
       .sources = {kU},
       .meaning = "(bitreverse a)",
       .reference = "nir_opcodes.py bitfield_reverse"},
  };
}

// A float format narrower than binary32: its name in op names, and the widths of its fields.
struct SmallFields {
  const char* name;
  int exponent_bits, mantissa_bits, bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr SmallFields kE4m3fnFields = {"e4m3fn", 4, 3, 8}, kE5m2Fields = {"e5m2", 5, 2, 8};

// Returns an expression that rounds `m`, the bits of a nonnegative binary32, to the format `fields`. The result is the
// encoding without the sign, zero-extended to 32 bits. Ties round to even. `m` must be less than half an ulp above the
// largest finite value.
std::string NearestMagnitude(const SmallFields& fields) {
  const int dropped = 23 - fields.mantissa_bits;
  const int rebias = 127 - fields.bias();
  // A normal result keeps the exponent; a carry out of the mantissa increments it.
  const std::string normal = absl::StrCat("(sub (lshr (add m ", (1 << (dropped - 1)) - 1, " (and (lshr m ", dropped,
                                          ") 1)) ", dropped, ") ", rebias << fields.mantissa_bits, ")");
  // A denormal result is the significand, shifted right by n bits. If n exceeds 25, the result is 0.
  const int shift = rebias + 1 + dropped;  // n + the exponent of m
  const std::string denormal =
      absl::StrCat("(let e (lshr m 23) (let s (or (and m 0x7fffff) 0x800000) (let n (ite (ult e ", shift - 26,
                   ") 26 (sub ", shift, " e)) (lshr (add s (sub (shl 1 (sub n 1)) 1) (and (lshr s n) 1)) n))))");
  return absl::StrCat("(ite (ult m ", (rebias + 1) << 23, ") ", denormal, " ", normal, ")");
}

// Returns the rows of the conversions between binary32 and the 8-bit floats (nir_opcodes.py, util/float8.c). Folding
// returns a fixed NaN; the verifier allows any NaN.
std::vector<OpRow> Float8Rows() {
  // `body` has 32 bits, and may use `m`, the magnitude of the operand, and `sign`, the sign of the result.
  const auto narrow = [](const std::string& name, const std::string& nan, const std::string& body) {
    return OpRow{.name = name,
                 .result = {BaseType::kUint, 8, 0},
                 .sources = {kF32},
                 .contract = kArithmetic,
                 .meaning = absl::StrCat("(let m (and a 0x7fffffff) (let sign (and (lshr a 24) 0x80) (ite (isnan a) ",
                                         nan, " (trunc 8 ", body, "))))"),
                 .properties = kIsConversion,
                 .reference = absl::StrCat("nir_opcodes.py ", name, ", util/float8.c")};
  };
  const auto select = [](const std::string& condition, const std::string& value, const std::string& otherwise) {
    return absl::StrCat("(ite ", condition, " ", value, " ", otherwise, ")");
  };
  const auto widen = [](const std::string& name, const std::string& special, const SmallFields& fields) {
    const int dropped = 23 - fields.mantissa_bits, rebias = 127 - fields.bias();
    const int mantissa = (1 << fields.mantissa_bits) - 1, exponent = (1 << fields.exponent_bits) - 1;
    // A denormal is normalized by a shift of s bits.
    const std::string denormal =
        absl::StrCat("(let s (sub (clz m) ", 31 - fields.mantissa_bits, ") (or sign (shl (sub ", rebias + 1,
                     " s) 23) (shl (and (shl m s) ", mantissa, ") ", dropped, ")))");
    return OpRow{.name = name,
                 .result = kF32,
                 .sources = {{BaseType::kUint, 8, 0}},
                 .contract = kArithmetic,
                 .meaning = absl::StrCat("(let x (zext 32 a) (let sign (shl (and x 0x80) 24) (let m (and x ", mantissa,
                                         ") (let e (and (lshr x ", fields.mantissa_bits, ") ", exponent, ") (ite ",
                                         special, " (ite (eq e 0) (ite (eq m 0) sign ", denormal,
                                         ") (or sign (shl (add e ", rebias, ") 23) (shl m ", dropped, "))))))))"),
                 .properties = kIsConversion,
                 .reference = absl::StrCat("nir_opcodes.py ", name, ", util/float8.c")};
  };
  const std::string e4m3fn = absl::StrCat("(or sign ", NearestMagnitude(kE4m3fnFields), ")");
  const std::string e5m2 = absl::StrCat("(or sign ", NearestMagnitude(kE5m2Fields), ")");
  // 448 and 57344 are the largest finite values. 464 and 61440 are half an ulp larger.
  const std::string above_448 = "(ult 0x43e00000 m)", above_464 = "(ult 0x43e80000 m)";
  const std::string above_57344 = "(ult 0x47600000 m)", from_61440 = "(ule 0x47700000 m)";
  const std::string e4m3fn_sat = select(above_448, "(or sign 0x7e)", e4m3fn);
  return {
      narrow("f2e4m3fn", "0xff", select(above_464, "0xff", e4m3fn)),
      narrow("f2e4m3fn_sat", "0xff", e4m3fn_sat),
      narrow("f2e4m3fn_satfn", "0xff", select("(isinf a)", "0x7f", e4m3fn_sat)),
      narrow("f2e5m2", "0xfe", select(from_61440, "(or sign 0x7c)", e5m2)),
      narrow("f2e5m2_sat", "0xfe", select(above_57344, "(or sign 0x7b)", e5m2)),
      widen("e4m3fn2f", "(and (eq e 15) (eq m 7)) (f nan)", kE4m3fnFields),
      widen("e5m22f", "(eq e 31) (ite (eq m 0) (or sign (f inf)) (f nan))", kE5m2Fields),
  };
}

// Returns the rows of the conversions between binary32 and bfloat16, which is the upper half of a binary32.
std::vector<OpRow> Bfloat16Rows() {
  return {
      {.name = "bf2f",
       .result = kF32,
       .sources = {{BaseType::kUint, 16, 0}},
       .contract = kArithmetic,
       .meaning = "(shl (zext 32 a) 16)",
       .properties = kIsConversion,
       .reference = "nir_opcodes.py bf2f, util/bfloat.h"},
      {.name = "f2bf",
       .result = {BaseType::kUint, 16, 0},
       .sources = {kF32},
       .contract = kArithmetic,
       .meaning = "(ite (isnan a) 0x7fc0 (trunc 16 (lshr (add a 0x7fff (and (lshr a 16) 1)) 16)))",
       .properties = kIsConversion,
       .reference = "nir_opcodes.py f2bf, util/bfloat.h; rounds to nearest even"},
  };
}

std::vector<OpRow> NewRows() {
  std::vector<OpRow> rows = {
      {.name = "fcanonicalize",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "a",
       .reference = "nir_opcodes.py:234-236"},
      {.name = "ffma_weak",
       .result = kF,
       .sources = {kF, kF, kF},
       .contract = kArithmetic,
       .meaning = "(ffma a b c)",
       .tiny = "(ffma_tiny a b c)",
       .properties = kCommutative,
       .reference = "nir_opcodes.py ffma_weak; constant folding fuses, and ReadAsMesa adds the unfused result"},
      {.name = "fsin_normalized_2_pi",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "(approx sin_turns a)",
       .properties = kApproximate,
       .reference = "nir_opcodes.py fsin_normalized_2_pi; docs/float_contract.md 4"},
      {.name = "fcos_normalized_2_pi",
       .result = kF,
       .sources = {kF},
       .contract = kArithmetic,
       .meaning = "(approx cos_turns a)",
       .properties = kApproximate,
       .reference = "nir_opcodes.py fcos_normalized_2_pi; docs/float_contract.md 4"},
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
       .reference = "nir_opcodes.py fmadz; folding in rtz mode adds the addend twice; this is not modeled"},
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
  for (std::vector<OpRow>& family : std::vector<std::vector<OpRow>>{SizedBitfieldRows(), Float8Rows(), Bfloat16Rows()})
    rows.insert(rows.end(), family.begin(), family.end());
  return rows;
}

// Returns whether the op converts floats to integers and its result is poison if the operand is out of range.
bool ConvertsToInteger(absl::string_view op) {
  return (absl::StartsWith(op, "f2i") || absl::StartsWith(op, "f2u")) && !absl::EndsWith(op, "_sat");
}

// Returns the row of Mesa 26 for an op of 25.0.7. Constant folding flushes the sources and the result of every op with
// a float operand or result, except for ops that copy bits (nir_constant_expressions.py).
OpRow ChangedRow(OpRow row) {
  // The addend is unsigned (nir_opcodes.py).
  if (row.name == "udot_2x16_uadd_sat" || row.name == "udot_4x8_uadd_sat") row.sources[2].base = BaseType::kUint;
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

SmallFloat SmallFloatOf(const OpRow& row) {
  const absl::string_view name = row.name;
  return name == "f2bf"                       ? SmallFloat::kBfloat16
         : absl::StartsWith(name, "f2e4m3fn") ? SmallFloat::kE4m3fn
         : absl::StartsWith(name, "f2e5m2")   ? SmallFloat::kE5m2
                                              : SmallFloat::kNone;
}

uint8_t FlagsOfOpIn26(const OpRow& row) {
  constexpr uint8_t kAll = kNoSignedZero | kNoNan | kNoInf;
  const absl::string_view name = row.name;
  if (SmallFloatOf(row) != SmallFloat::kNone) return kAll;
  const bool float_result = row.result.base == BaseType::kFloat || IsFloatSelection(name);
  if (absl::StartsWith(name, "b2f")) return kNoSignedZero;
  if (float_result && !ReadsFloat(row)) {
    if (absl::StartsWith(name, "i2f") || absl::StartsWith(name, "u2f")) return kNoSignedZero | kNoInf;
    if (absl::StartsWith(name, "unpack_snorm") || absl::StartsWith(name, "unpack_unorm")) return kNoSignedZero;
    return kAll;
  }
  // fisfinite and fisnormal have all bits, because nir_opcodes.py passes preserve_inf + preserve_nan as the
  // description.
  if (float_result || absl::StartsWith(name, "fisfinite") || name == "fisnormal") return kAll;
  if (!ReadsFloat(row)) return 0;
  if (row.result.base == BaseType::kBool || name == "frexp_exp" || name == "fmin_agx" || name == "fmax_agx" ||
      absl::StartsWith(name, "pack_snorm") || absl::StartsWith(name, "pack_unorm") || absl::EndsWith(name, "_sat")) {
    return kNoNan | kNoInf;
  }
  if (absl::StartsWith(name, "f2i") || absl::StartsWith(name, "f2u")) return 0;
  return kAll;
}

bool CanBeExactIn26(const OpRow& row) {
  const absl::string_view name = row.name;
  if (absl::StartsWith(name, "fisfinite") || name == "fisnormal") return true;
  if (name == "b32fcsel_mdg") return true;
  if (row.result.base == BaseType::kBool || absl::StartsWith(name, "b2f") || IsFloatSelection(name)) return false;
  for (const char* op : {"fmin", "fmax", "fmin_agx", "fmax_agx", "slt", "sge", "seq", "sne"}) {
    if (name == op) return false;
  }
  return row.result.base == BaseType::kFloat || SmallFloatOf(row) != SmallFloat::kNone || ReadsFloat(row);
}

bool ReadsSignOfZero(const OpRow& row) {
  for (const char* name : {"fadd",          "fsub",      "fmul",   "fmulz", "ffma",   "ffmaz",       "fmad",
                           "fmadz",         "ffma_weak", "flrp",   "fneg",  "fabs",   "fsat",        "fsign",
                           "fmin",          "fmax",      "ffloor", "fceil", "ftrunc", "fround_even", "ffract",
                           "fcanonicalize", "f2f16",     "f2f32",  "f2f64", "fcsel",  "fcsel_gt",    "fcsel_ge"}) {
    if (row.name == name) return false;
  }
  return true;
}

}  // namespace rewrought::ir
