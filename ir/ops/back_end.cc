// Ops that one back end added to NIR and that its rule files use: AGX, ir3, vc4, dxil.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

constexpr const char* kShiftDomain = "a shift beyond the op's domain is undefined in C: poison";

std::vector<OpRow> Agx() {
  return {
      // The shift must be at most 4 (the comment there).
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
      // b:a shifted right by the low 7 bits of c, then the low d bits; 0 stands for 32. (1 << d) - 1 is undefined for d = 32.
      {.name = "extr_agx",
       .result = kU32,
       .sources = {kU32, kU32, kU32, kU32},
       .meaning = "(and (trunc 32 (lshr (concat b a) (zext 64 (and c 127)))) (ite (eq d 0) -1 (sub (shl 1 d) 1)))",
       .poison = "(ult 31 d)",
       .reference = kShiftDomain},
  };
}

std::vector<OpRow> Ir3() {
  return {
      {.name = "imad24_ir3",
       .result = kI32,
       .sources = {kI32, kI32, kI32},
       .meaning = "(add (mul (sext 32 (trunc 24 a)) (sext 32 (trunc 24 b))) c)",
       .properties = kCommutes},
      // As the comment and the machine have it. The C expression beside it multiplies what is shifted already and gives
      // c.
      {.name = "imadsh_mix16",
       .result = kI32,
       .sources = {kI32, kI32, kI32},
       .meaning = "(add (shl (mul (and a 0xffff) (lshr b 16)) 16) c)",
       .reference = "the comment: al * bh << 16 + c"},
  };
}

// `body`, which speaks of the bytes x of a and y of b with 16 bits each, for each byte.
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

}  // namespace

std::vector<OpRow> BackEnd() {
  std::vector<OpRow> rows = Agx();
  for (const auto& part : {Ir3(), Vc4(), Dxil()}) rows.insert(rows.end(), part.begin(), part.end());
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
