// Integer ops on packed lanes. Sums may be computed in any order, because they are modulo 2^32.
#include "ir/ops/packed_integer.h"

#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

std::string Lane(const std::string& source, int bits, int index) {
  return absl::StrCat("(extract ", bits * (index + 1) - 1, " ", bits * index, " ", source, ")");
}

struct Dot {
  const char* name;
  int lane_bits;
  const char* extend_a;  // sext or zext
  const char* extend_b;
  const char* extend_sum;  // extends the addend, and selects the range to which _sat clamps
  OperandType addend;
  OperandType result, saturated_result, saturated_addend;
  uint32_t properties;
};

// Returns the sum of c and the products of the lanes, computed with `bits` bits.
std::string Sum(const Dot& dot, int bits) {
  std::string text = "(add";
  for (int i = 0; i < 32 / dot.lane_bits; ++i) {
    absl::StrAppend(&text, " (mul (", dot.extend_a, " ", bits, " ", Lane("a", dot.lane_bits, i), ") (", dot.extend_b,
                    " ", bits, " ", Lane("b", dot.lane_bits, i), "))");
  }
  return absl::StrCat(text, " (", dot.extend_sum, " ", bits, " c))");
}

std::string SaturatedSum(const Dot& dot) {
  const bool is_signed = absl::string_view(dot.extend_sum) == "sext";
  const char* const clamped =
      is_signed ? "(ite (slt sum -2147483648) 0x80000000 (ite (slt 2147483647 sum) 0x7fffffff (trunc 32 sum)))"
                : "(ite (ult 0xffffffff sum) 0xffffffff (trunc 32 sum))";
  return absl::StrCat("(let sum ", Sum(dot, 64), " ", clamped, ")");
}

void AppendDots(std::vector<OpRow>* rows) {
  const Dot dots[] = {
      {"sdot_4x8_iadd", 8, "sext", "sext", "sext", kI32, kI32, kI32, kI32, kCommutes},
      {"udot_4x8_uadd", 8, "zext", "zext", "zext", kU32, kU32, kI32, kI32, kCommutes},
      {"sudot_4x8_iadd", 8, "sext", "zext", "sext", kI32, kI32, kI32, kI32, 0},
      {"sdot_2x16_iadd", 16, "sext", "sext", "sext", kI32, kI32, kI32, kI32, kCommutes},
      {"udot_2x16_uadd", 16, "zext", "zext", "zext", kU32, kU32, kI32, kI32, kCommutes},
  };
  for (const Dot& dot : dots) {
    rows->push_back({.name = dot.name,
                     .result = dot.result,
                     .sources = {kU32, kU32, dot.addend},
                     .meaning = Sum(dot, 32),
                     .properties = dot.properties,
                     .reference = "SPV_KHR_integer_dot_product"});
    rows->push_back({.name = absl::StrCat(dot.name, "_sat"),
                     .result = dot.saturated_result,
                     .sources = {kU32, kU32, dot.saturated_addend},
                     .meaning = SaturatedSum(dot),
                     .properties = dot.properties,
                     .reference = "SPV_KHR_integer_dot_product"});
  }
}

// Returns `sum` plus the sum of |reference - source| over the bytes whose reference is not 0. All arguments are 32-bit
// terms.
std::string MaskedDifferences(const std::string& reference, const std::string& source, const std::string& sum) {
  std::string text = absl::StrCat("(add ", sum);
  for (int i = 0; i < 4; ++i) {
    const std::string x = Lane(reference, 8, i), y = Lane(source, 8, i);
    absl::StrAppend(&text, " (zext 32 (ite (eq ", x, " 0) 0 (ite (ult ", x, " ", y, ") (sub ", y, " ", x, ") (sub ", x,
                    " ", y, "))))");
  }
  return text + ")";
}

}  // namespace

std::vector<OpRow> PackedInteger() {
  std::vector<OpRow> rows;
  AppendDots(&rows);
  rows.push_back(
      {.name = "msad_4x8", .result = kU32, .sources = {kU32, kU32, kU32}, .meaning = MaskedDifferences("a", "b", "c")});
  std::string quad;  // one sum for each of the byte offsets 0 to 3 in b
  for (int i = 0; i < 4; ++i) {
    const std::string window = absl::StrCat("(trunc 32 (lshr (concat b.y b.x) ", 8 * i, "))");
    absl::StrAppend(&quad, i == 0 ? "" : "; ", "(let window ", window, " ",
                    MaskedDifferences("a.x", "window", Component("c", i)), ")");
  }
  rows.push_back({.name = "mqsad_4x8",
                  .result = Vector(kU32, 4),
                  .sources = {Vector(kU32, 1), Vector(kU32, 2), Vector(kU32, 4)},
                  .meaning = quad});
  return rows;
}

}  // namespace rewrought::ir::ops
