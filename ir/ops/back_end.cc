// NIR ops that were added for a single back end: AGX, ir3, vc4, dxil, AMD, Midgard, NVIDIA, and the v3d ops that only
// move bits. The v3d ops that round (f2snorm_16, f2unorm_16, r11g11b10, the conversions of 2x16 floats to 2x8, 2x10,
// 10_2) have no rows, because no described machine and no rule uses them.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

constexpr const char* kShiftDomain = "a shift beyond the op's domain is undefined in C: poison";

// Returns the low 16 bits of `source` spread out, with bit i at position 2 * i.
std::string Spread(const std::string& source) {
  std::string text = absl::StrCat("(zext 32 ", source, ")");
  const std::pair<int, const char*> steps[] = {
      {8, "0x00ff00ff"}, {4, "0x0f0f0f0f"}, {2, "0x33333333"}, {1, "0x55555555"}};
  for (const auto& [shift, mask] : steps) {
    text = absl::StrCat("(let s ", text, " (and (or s (shl s ", shift, ")) ", mask, "))");
  }
  return text;
}

// Returns the row of an approximated function whose argument is in turns, half turns or quarter turns.
OpRow Approximated(const std::string& name, const std::string& function) {
  return {.name = name,
          .result = kF,
          .sources = {kF},
          .contract = kArithmetic,
          .meaning = absl::StrCat("(approx ", function, " a)"),
          .properties = kApproximate,
          .reference = "docs/float_contract.md 4"};
}

std::vector<OpRow> Agx() {
  return {
      // The comment in Mesa's table limits the shift to 4.
      {.name = "imadshl_agx",
       .result = kI,
       .sources = {kI, kI, kI, kI},
       .meaning = "(add (mul a b) (shl c d))",
       .poison = "(ult 4 d)",
       .reference = kShiftDomain,
       .free_sizes = {8, 16, 32, 64}},
      {.name = "imsubshl_agx",
       .result = kI,
       .sources = {kI, kI, kI, kI},
       .meaning = "(sub (mul a b) (shl c d))",
       .poison = "(ult 4 d)",
       .reference = kShiftDomain,
       .free_sizes = {8, 16, 32, 64}},
      {.name = "ilea_agx",
       .result = kU64,
       .sources = {kU64, kI32, kU32},
       .meaning = "(add a (shl (sext 64 b) (zext 64 c)))",
       .poison = "(ult 63 c)",
       .reference = kShiftDomain},
      {.name = "ulea_agx",
       .result = kU64,
       .sources = {kU64, kU32, kU32},
       .meaning = "(add a (shl (zext 64 b) (zext 64 c)))",
       .poison = "(ult 63 c)",
       .reference = kShiftDomain},
      // Shifts b:a right by the low 7 bits of c and keeps the low d bits, where d = 0 means 32 bits. For d = 32 the C
      // expression (1 << d) - 1 is undefined.
      {.name = "extr_agx",
       .result = kU32,
       .sources = {kU32, kU32, kU32, kU32},
       .meaning = "(and (trunc 32 (lshr (concat b a) (zext 64 (and c 127)))) (ite (eq d 0) -1 (sub (shl 1 d) 1)))",
       .poison = "(ult 31 d)",
       .reference = kShiftDomain},
      {.name = "bounds_agx", .result = kI, .sources = {kI, kI, kI}, .meaning = "(ite (sle b c) a 0)"},
      // The bits of a go to the even positions and the bits of b to the odd positions.
      {.name = "interleave_agx",
       .result = kU32,
       .sources = {kU16, kU16},
       .meaning = absl::StrCat("(or ", Spread("a"), " (shl ", Spread("b"), " 1))")},
      Approximated("fsin_agx", "sin_quarter_turns"),
  };
}

std::vector<OpRow> Ir3() {
  return {
      {.name = "imad24_ir3",
       .result = kI32,
       .sources = {kI32, kI32, kI32},
       .meaning = "(add (mul (sext 32 (trunc 24 a)) (sext 32 (trunc 24 b))) c)",
       .properties = kCommutes},
      // The meaning follows Mesa's comment and the hardware. Mesa's C expression multiplies an already shifted value,
      // so its result is always c.
      {.name = "imadsh_mix16",
       .result = kI32,
       .sources = {kI32, kI32, kI32},
       .meaning = "(add (shl (mul (and a 0xffff) (lshr b 16)) 16) c)",
       .reference = "the comment: al * bh << 16 + c"},
  };
}

// Returns the meaning that applies `body` to each byte. In `body`, x and y are the bytes of a and b, zero-extended to
// 16 bits.
std::string ByByte(const std::string& body) {
  std::string text;
  for (int high = 31; high > 0; high -= 8) {
    const std::string byte =
        absl::StrCat("(let x (zext 16 (extract ", high, " ", high - 7, " a)) (let y (zext 16 (extract ", high, " ",
                     high - 7, " b)) (trunc 8 ", body, ")))");
    text = text.empty() ? byte : absl::StrCat("(concat ", text, " ", byte, ")");
  }
  return text;
}

std::vector<OpRow> Vc4() {
  return {
      {.name = "usadd_4x8_vc4",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = ByByte("(ite (ult 255 (add x y)) 255 (add x y))"),
       .properties = kCommutesAndAssociates},
      {.name = "ussub_4x8_vc4",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = ByByte("(ite (ult y x) (sub x y) 0)")},
      {.name = "umin_4x8_vc4",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = ByByte("(ite (ult x y) x y)"),
       .properties = kCommutesAndAssociates},
      {.name = "umax_4x8_vc4",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = ByByte("(ite (ult x y) y x)"),
       .properties = kCommutesAndAssociates},
      {.name = "umul_unorm_4x8_vc4",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = ByByte("(udiv (mul x y) 255)"),
       .properties = kCommutesAndAssociates},
  };
}

std::vector<OpRow> Dxil() {
  return {
      {.name = "pack_double_2x32_dxil",
       .result = Vector(kU64, 1),
       .sources = {Vector(kU32, 2)},
       .meaning = "(concat a.y a.x)"},
      {.name = "unpack_double_2x32_dxil",
       .result = Vector(kU32, 2),
       .sources = {Vector(kU64, 1)},
       .meaning = "(trunc 32 a.x); (trunc 32 (lshr a.x 32))"},
  };
}

// Returns the row of cube_amd, whose result {tc, sc, 2 * major axis, face} describes the cube map face to which (x, y,
// z) points. If magnitudes are equal, z takes precedence, then y. Mesa's constant folding leaves the face of a NaN
// undefined.
OpRow Cube() {
  const std::string magnitudes = "(let x (fabs a.x) (let y (fabs a.y) (let z (fabs a.z) ";
  const std::string z_wins = "(and (fle x z) (fle y z))", y_wins = "(and (fle x y) (fle z y))";
  const auto by_axis = [&](const std::string& z, const std::string& y, const std::string& x) {
    return absl::StrCat(magnitudes, "(ite ", z_wins, " ", z, " (ite ", y_wins, " ", y, " ", x, ")))))");
  };
  const auto by_sign = [](const std::string& axis, const std::string& negative, const std::string& other) {
    return absl::StrCat("(ite (flt ", axis, " (f 0.0)) ", negative, " ", other, ")");
  };
  const std::string tc = by_axis("(fneg a.y)", by_sign("a.y", "(fneg a.z)", "a.z"), "(fneg a.y)");
  const std::string sc = by_axis(by_sign("a.z", "(fneg a.x)", "a.x"), "a.x", by_sign("a.x", "a.z", "(fneg a.z)"));
  const std::string axis = by_axis("(fadd a.z a.z)", "(fadd a.y a.y)", "(fadd a.x a.x)");
  const std::string face = by_axis(by_sign("a.z", "(f 5.0)", "(f 4.0)"), by_sign("a.y", "(f 3.0)", "(f 2.0)"),
                                   by_sign("a.x", "(f 1.0)", "(f 0.0)"));
  return {.name = "cube_amd",
          .result = Vector(kF32, 4),
          .sources = {Vector(kF32, 3)},
          .contract = kArithmetic,
          .meaning = absl::StrCat(tc, "; ", sc, "; ", axis, "; ", face),
          .poison = "(or (isnan a.x) (isnan a.y) (isnan a.z))"};
}

std::vector<OpRow> Amd() {
  return {
      Approximated("fsin_amd", "sin_turns"),
      Approximated("fcos_amd", "cos_turns"),
      Cube(),
      {.name = "alignbyte_amd",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(trunc 32 (lshr (concat a b) (zext 64 (shl (and c 3) 3))))"},
  };
}

std::vector<OpRow> Midgard() {
  return {
      Approximated("fsin_mdg", "sin_half_turns"),
      Approximated("fcos_mdg", "cos_half_turns"),
      // Like fcsel, the op copies the bits of the selected source.
      {.name = "b32fcsel_mdg",
       .result = kU,
       .sources = {kB32, kU, kU},
       .meaning = "(ite (eq a 0) c b)",
       .properties = kIsSelection,
       .free_sizes = {16, 32, 64}},
  };
}

std::vector<OpRow> Nvidia() {
  // Each nibble of a selects a byte of c:b. If the nibble's highest bit is set, all bits of the result byte are copies
  // of the selected byte's sign bit.
  std::string permuted;
  for (int i = 3; i >= 0; --i) {
    const std::string byte =
        absl::StrCat("(let s (extract ", 4 * i + 3, " ", 4 * i, " a) (let byte (trunc 8 (lshr (concat c b) ",
                     "(shl (zext 64 (and s 7)) 3))) (ite (eq (and s 8) 0) byte (ashr byte 7))))");
    permuted = permuted.empty() ? byte : absl::StrCat("(concat ", permuted, " ", byte, ")");
  }
  return {{.name = "prmt_nv", .result = kU32, .sources = {kU32, kU32, kU32}, .meaning = permuted}};
}

std::vector<OpRow> V3d() {
  return {
      {.name = "pack_2x32_to_2x16_v3d",
       .result = Vector(kU32, 1),
       .sources = {Vector(kU32, 1), Vector(kU32, 1)},
       .meaning = "(concat (trunc 16 b) (trunc 16 a))"},
      {.name = "pack_4x16_to_4x8_v3d",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = "(concat (concat (extract 23 16 b) (extract 7 0 b)) (concat (extract 23 16 a) (extract 7 0 a)))"},
      {.name = "pack_uint_32_to_r10g10b10a2_v3d",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = "(concat (concat (extract 17 16 b) (extract 9 0 b)) (concat (extract 25 16 a) (extract 9 0 a)))"},
  };
}

}  // namespace

std::vector<OpRow> BackEnd() {
  std::vector<OpRow> rows = Agx();
  for (const auto& part : {Ir3(), Vc4(), Dxil(), Amd(), Midgard(), Nvidia(), V3d()})
    rows.insert(rows.end(), part.begin(), part.end());
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
