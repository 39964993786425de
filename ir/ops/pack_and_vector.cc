// Moves, vectors, packing, and bytes and words within a value. The contract cannot flush a half-precision value inside
// packed bits, because the value has no float type there. Its denormals are therefore kept in every mode, and packing a
// NaN returns the canonical NaN.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

// Returns bits [bits * index, bits * (index + 1)) of a 32- or 64-bit `source`.
std::string Lane(const std::string& source, int bits, int index) {
  return absl::StrCat("(extract ", bits * (index + 1) - 1, " ", bits * index, " ", source, ")");
}

// Concatenates `parts`, with the first part in the lowest bits.
std::string Concatenated(const std::vector<std::string>& parts) {
  std::string text = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) text = absl::StrCat("(concat ", parts[i], " ", text, ")");
  return text;
}

std::vector<OpRow> Vectors() {
  const OperandType one = Vector(kU, 1);
  std::vector<OpRow> rows = {
      {.name = "mov", .result = kU, .sources = {kU}, .meaning = "a"},
      {.name = "vec2", .result = Vector(kU, 2), .sources = {one, one}, .meaning = "a; b"},
      {.name = "vec3", .result = Vector(kU, 3), .sources = {one, one, one}, .meaning = "a; b; c"},
      {.name = "vec4", .result = Vector(kU, 4), .sources = {one, one, one, one}, .meaning = "a; b; c; d"},
  };
  for (int count : {5, 8, kMaxComponents}) {
    std::string meaning = "a";
    for (char source = 'b'; source < 'a' + count; ++source) absl::StrAppend(&meaning, "; ", std::string(1, source));
    rows.push_back({.name = absl::StrCat("vec", count),
                    .result = Vector(kU, count),
                    .sources = std::vector<OperandType>(static_cast<size_t>(count), one),
                    .meaning = meaning});
  }
  return rows;
}

// Returns the ops that extract or insert a lane. Lanes are numbered from the low end; the result is poison if the value
// has no lane with that number.
std::vector<OpRow> Lanes() {
  std::vector<OpRow> rows;
  for (int bits : {8, 16}) {
    const std::string shift = absl::StrCat("(shl b ", bits == 8 ? 3 : 4, ")");
    const std::string lane = absl::StrCat("(trunc ", bits, " (lshr a ", shift, "))");
    const std::string poison = absl::StrCat("(not (ult b (lshr w ", bits == 8 ? 3 : 4, ")))");
    const std::string reference = "docs/float_contract.md 2.5: poison";
    std::vector<uint8_t> sizes = {16, 32, 64};
    if (bits == 8) sizes.insert(sizes.begin(), 8);
    rows.push_back({.name = absl::StrCat("extract_u", bits),
                    .result = kU,
                    .sources = {kU, kU},
                    .meaning = absl::StrCat("(zext w ", lane, ")"),
                    .poison = poison,
                    .reference = reference,
                    .free_sizes = sizes});
    rows.push_back({.name = absl::StrCat("extract_i", bits),
                    .result = kI,
                    .sources = {kI, kI},
                    .meaning = absl::StrCat("(sext w ", lane, ")"),
                    .poison = poison,
                    .reference = reference,
                    .free_sizes = sizes});
    rows.push_back({.name = absl::StrCat("insert_u", bits),
                    .result = kU,
                    .sources = {kU, kU},
                    .meaning = absl::StrCat("(shl (and a ", bits == 8 ? "0xff" : "0xffff", ") ", shift, ")"),
                    .poison = poison,
                    .reference = reference,
                    .free_sizes = sizes});
  }
  return rows;
}

// Appends the ops pack_<to>_<n>x<part> and unpack_..., both on a vector and (where Mesa has them) on separate scalars.
void AppendPacking(int parts, int part_bits, std::vector<OpRow>* rows) {
  const int bits = parts * part_bits;
  const OperandType whole = {BaseType::kUint, static_cast<uint8_t>(bits)};
  const OperandType part = {BaseType::kUint, static_cast<uint8_t>(part_bits)};
  const std::string suffix = absl::StrCat(bits, "_", parts, "x", part_bits);
  std::vector<std::string> components, lanes, sources = {"a", "b", "c", "d"};
  sources.resize(static_cast<size_t>(parts));
  for (int i = 0; i < parts; ++i) {
    components.push_back(Component("a", i));
    lanes.push_back(Lane("a", part_bits, i));
  }
  rows->push_back({.name = absl::StrCat("pack_", suffix),
                   .result = Vector(whole, 1),
                   .sources = {Vector(part, parts)},
                   .meaning = Concatenated(components)});
  rows->push_back({.name = absl::StrCat("unpack_", suffix),
                   .result = Vector(part, parts),
                   .sources = {Vector(whole, 1)},
                   .meaning = absl::StrJoin(lanes, "; ")});
  if (part_bits == 16 && parts == 4) return;
  rows->push_back({.name = absl::StrCat("pack_", suffix, "_split"),
                   .result = whole,
                   .sources = std::vector<OperandType>(static_cast<size_t>(parts), part),
                   .meaning = Concatenated(sources)});
  if (parts != 2) return;
  rows->push_back(
      {.name = absl::StrCat("unpack_", suffix, "_split_x"), .result = part, .sources = {whole}, .meaning = lanes[0]});
  rows->push_back(
      {.name = absl::StrCat("unpack_", suffix, "_split_y"), .result = part, .sources = {whole}, .meaning = lanes[1]});
}

std::vector<OpRow> IntegerPacking() {
  const OperandType one = Vector(kU32, 1), two = Vector(kU32, 2);
  return {
      {.name = "pack_uint_2x16",
       .result = one,
       .sources = {two},
       .meaning = "(concat (trunc 16 (ite (ult 0xffff a.y) 0xffff a.y)) (trunc 16 (ite (ult 0xffff a.x) 0xffff a.x)))"},
      {.name = "pack_sint_2x16",
       .result = Vector(kI32, 1),
       .sources = {Vector(kI32, 2)},
       .meaning =
           "(let x (ite (slt a.x -32768) -32768 (ite (slt 32767 a.x) 32767 a.x)) "
           "(let y (ite (slt a.y -32768) -32768 (ite (slt 32767 a.y) 32767 a.y)) (concat (trunc 16 y) (trunc 16 x))))"},
      {.name = "pack_uvec2_to_uint",
       .result = one,
       .sources = {two},
       .meaning = "(concat (trunc 16 a.y) (trunc 16 a.x))"},
      // Mesa ORs the components without masking them.
      {.name = "pack_uvec4_to_uint",
       .result = one,
       .sources = {Vector(kU32, 4)},
       .meaning = "(or a.x (shl a.y 8) (shl a.z 16) (shl a.w 24))"},
  };
}

std::vector<OpRow> HalfPacking() {
  const OperandType one = Vector(kU32, 1), float_one = Vector(kF32, 1);
  const std::string glsl = "GLSL 4.60 8.4";
  return {
      {.name = "pack_half_2x16",
       .result = one,
       .sources = {Vector(kF32, 2)},
       .meaning = "(concat (f2f 16 a.y) (f2f 16 a.x))",
       .reference = glsl},
      {.name = "pack_half_2x16_split",
       .result = one,
       .sources = {float_one, float_one},
       .meaning = "(concat (f2f 16 b) (f2f 16 a))",
       .reference = glsl},
      {.name = "pack_half_2x16_rtz_split",
       .result = one,
       .sources = {float_one, float_one},
       .meaning = "(concat (f2f_rtz 16 b) (f2f_rtz 16 a))"},
      {.name = "unpack_half_2x16",
       .result = Vector(kF32, 2),
       .sources = {one},
       .contract = kMayFlush,
       .meaning = "(f2f 32 (extract 15 0 a)); (f2f 32 (extract 31 16 a))",
       .reference = glsl},
      {.name = "unpack_half_2x16_split_x",
       .result = kF32,
       .sources = {kU32},
       .contract = kMayFlush,
       .meaning = "(f2f 32 (extract 15 0 a))",
       .reference = glsl},
      {.name = "unpack_half_2x16_split_y",
       .result = kF32,
       .sources = {kU32},
       .contract = kMayFlush,
       .meaning = "(f2f 32 (extract 31 16 a))",
       .reference = glsl},
  };
}

// Appends the conversions to and from fixed point. pack_<s|u>norm_<parts>x<bits> clamps, scales (rounded in binary32)
// and rounds to even; unpack divides. A flushed source packs to 0, like the denormal itself, so packing makes no
// nondeterministic choice.
void AppendFixedPoint(bool is_signed, int parts, std::vector<OpRow>* rows) {
  const int bits = 32 / parts;
  const std::string name = absl::StrCat("pack_", is_signed ? "snorm_" : "unorm_", parts, "x", bits);
  const std::string scale = absl::StrCat("(f ", (1 << (is_signed ? bits - 1 : bits)) - 1, ".0)");
  const char* const low = is_signed ? "-1.0" : "0.0";
  std::vector<std::string> packed, unpacked;
  for (int i = 0; i < parts; ++i) {
    const std::string clamped = absl::StrCat("(fmin (fmax (f2f 32 ", Component("a", i), ") (f ", low, ")) (f 1.0))");
    packed.push_back(
        absl::StrCat("(", is_signed ? "f2i " : "f2u ", bits, " (froundeven (fmul ", clamped, " ", scale, ")))"));
    const std::string value =
        absl::StrCat("(fdiv (", is_signed ? "i2f" : "u2f", " 32 ", Lane("a", bits, i), ") ", scale, ")");
    unpacked.push_back(is_signed ? absl::StrCat("(fmax ", value, " (f -1.0))") : value);
  }
  // Mesa leaves the size of the 2x16 sources open and does not define the op for doubles.
  const bool sized = parts == 4;
  rows->push_back({.name = name,
                   .result = Vector(kU32, 1),
                   .sources = {Vector(sized ? kF32 : kF, parts)},
                   .meaning = Concatenated(packed),
                   .reference = "GLSL 4.60 8.4",
                   .free_sizes = sized ? std::vector<uint8_t>{} : std::vector<uint8_t>{16, 32}});
  rows->push_back({.name = absl::StrCat("un", name),
                   .result = Vector(kF32, parts),
                   .sources = {Vector(kU32, 1)},
                   .contract = kArithmetic,
                   .meaning = absl::StrJoin(unpacked, "; "),
                   .reference = "GLSL 4.60 8.4"});
}

}  // namespace

std::vector<OpRow> PackAndVector() {
  std::vector<OpRow> rows = Vectors();
  for (const auto& part : {Lanes(), IntegerPacking(), HalfPacking()}) rows.insert(rows.end(), part.begin(), part.end());
  AppendPacking(2, 16, &rows);
  AppendPacking(4, 8, &rows);
  AppendPacking(2, 32, &rows);
  AppendPacking(4, 16, &rows);
  for (bool is_signed : {false, true}) {
    AppendFixedPoint(is_signed, 2, &rows);
    AppendFixedPoint(is_signed, 4, &rows);
  }
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
