// Conversions. A row has no nondeterministic choice if flushing a source or the result cannot change anything: an
// integer source has no denormals, and a denormal truncates to the integer 0 either way. An op whose name ends in mp
// equals the 16-bit op of the same kind, but a driver may also drop it together with the widening that follows it.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

OperandType Sized(BaseType base, int bits) { return {base, static_cast<uint8_t>(bits), 0}; }

void AppendFromBool(std::vector<OpRow>* rows) {
  for (int bits : {1, 8, 16, 32}) {
    rows->push_back({.name = absl::StrCat("b2b", bits),
                     .result = Sized(BaseType::kBool, bits),
                     .sources = {kB},
                     .meaning = "(ite (eq a 0) 0 -1)"});
  }
  for (int bits : {16, 32, 64}) {
    rows->push_back({.name = absl::StrCat("b2f", bits),
                     .result = Sized(BaseType::kFloat, bits),
                     .sources = {kB},
                     .meaning = "(ite (eq a 0) (f 0.0) (f 1.0))"});
  }
  for (int bits : {1, 8, 16, 32, 64}) {
    rows->push_back({.name = absl::StrCat("b2i", bits),
                     .result = Sized(BaseType::kInt, bits),
                     .sources = {kB},
                     .meaning = "(ite (eq a 0) 0 1)"});
  }
}

void AppendFromInteger(std::vector<OpRow>* rows) {
  for (int bits : {1, 8, 16, 32, 64}) {
    rows->push_back({.name = absl::StrCat("i2i", bits),
                     .result = Sized(BaseType::kInt, bits),
                     .sources = {kI},
                     .meaning = "(sresize r a)"});
    rows->push_back({.name = absl::StrCat("u2u", bits),
                     .result = Sized(BaseType::kUint, bits),
                     .sources = {kU},
                     .meaning = "(resize r a)"});
  }
  for (int bits : {16, 32, 64}) {
    rows->push_back({.name = absl::StrCat("i2f", bits),
                     .result = Sized(BaseType::kFloat, bits),
                     .sources = {kI},
                     .meaning = "(i2f r a)",
                     .reference = "IEEE 754-2019 5.4.1"});
    rows->push_back({.name = absl::StrCat("u2f", bits),
                     .result = Sized(BaseType::kFloat, bits),
                     .sources = {kU},
                     .meaning = "(u2f r a)",
                     .reference = "IEEE 754-2019 5.4.1"});
  }
  rows->push_back({.name = "i2imp", .result = kI16, .sources = {kI32}, .meaning = "(trunc 16 a)"});
  rows->push_back({.name = "i2fmp", .result = kF16, .sources = {kI32}, .meaning = "(i2f 16 a)"});
  rows->push_back({.name = "u2fmp", .result = kF16, .sources = {kU32}, .meaning = "(u2f 16 a)"});
}

void AppendFloatToInteger(const std::string& name, OperandType result, OperandType source, std::vector<OpRow>* rows) {
  const std::string primitive = result.base == BaseType::kInt ? "f2i" : "f2u";
  rows->push_back({.name = name,
                   .result = result,
                   .sources = {source},
                   .meaning = absl::StrCat("(", primitive, " r a)"),
                   .poison = absl::StrCat("(not (", primitive, "_in_range r a))"),
                   .reference = "IEEE 754-2019 5.8; docs/float_contract.md 2.5: poison"});
}

void AppendFromFloat(std::vector<OpRow>* rows) {
  for (int bits : {1, 8, 16, 32, 64}) {
    AppendFloatToInteger(absl::StrCat("f2i", bits), Sized(BaseType::kInt, bits), kF, rows);
    AppendFloatToInteger(absl::StrCat("f2u", bits), Sized(BaseType::kUint, bits), kF, rows);
  }
  AppendFloatToInteger("f2imp", kI16, kF32, rows);
  AppendFloatToInteger("f2ump", kU16, kF32, rows);
  const OpRow narrowing = {.name = "f2f16",
                           .result = kF16,
                           .sources = {kF},
                           .contract = kMayFlush,
                           .meaning = "(f2f r a)",
                           .tiny = "(f2f_tiny r a)",
                           .reference = "IEEE 754-2019 5.4.2; docs/float_contract.md 3"};
  for (const char* name : {"f2f16", "f2f16_rtne", "f2f32", "f2f64", "f2fmp"}) {
    OpRow row = narrowing;
    row.name = name;
    if (row.name == "f2f32") row.result = kF32;
    if (row.name == "f2f64") row.result = {BaseType::kFloat, 64};
    if (row.name == "f2f64") row.tiny = "";  // widening is exact
    if (row.name == "f2fmp") row.sources = {kF32};
    rows->push_back(row);
  }
  // Rounding toward zero never rounds up to the smallest normal.
  rows->push_back({.name = "f2f16_rtz",
                   .result = kF16,
                   .sources = {kF},
                   .contract = kMayFlush,
                   .meaning = "(f2f_rtz r a)",
                   .reference = "IEEE 754-2019 4.3.2"});
}

}  // namespace

std::vector<OpRow> Conversion() {
  std::vector<OpRow> rows;
  AppendFromBool(&rows);
  AppendFromInteger(&rows);
  AppendFromFloat(&rows);
  for (OpRow& row : rows) row.properties = kIsConversion;
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
