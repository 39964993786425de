// Bitwise logic, shifts and rotations. A count is taken modulo the size of the shifted value (SM5); at 1 bit it is 0.
#include "absl/strings/str_cat.h"
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

// Binds `n` for `body` to the count b modulo the shifted value's width.
std::string WithCount(const std::string& body) {
  return absl::StrCat("(let n (resize w (and b (sub w 1))) ", body, ")");
}

std::vector<OpRow> Logic() {
  return {
      {.name = "iand", .result = kU, .sources = {kU, kU}, .meaning = "(and a b)", .properties = kCommutesAndAssociates},
      {.name = "ior", .result = kU, .sources = {kU, kU}, .meaning = "(or a b)", .properties = kCommutesAndAssociates},
      {.name = "ixor", .result = kU, .sources = {kU, kU}, .meaning = "(xor a b)", .properties = kCommutesAndAssociates},
      {.name = "inot", .result = kI, .sources = {kI}, .meaning = "(not a)"},
      {.name = "bitfield_select", .result = kU, .sources = {kU, kU, kU}, .meaning = "(or (and a b) (and (not a) c))"},
  };
}

std::vector<OpRow> Shifts() {
  return {
      {.name = "ishl",
       .result = kI,
       .sources = {kI, kU32},
       .meaning = WithCount("(shl a n)"),
       .signed_wrap = WithCount("(not (eq (ashr (shl a n) n) a))"),
       .unsigned_wrap = WithCount("(not (eq (lshr (shl a n) n) a))")},
      {.name = "ishr", .result = kI, .sources = {kI, kU32}, .meaning = WithCount("(ashr a n)")},
      {.name = "ushr", .result = kU, .sources = {kU, kU32}, .meaning = WithCount("(lshr a n)")},
      {.name = "urol",
       .result = kU,
       .sources = {kU, kU32},
       .meaning = WithCount("(or (shl a n) (lshr a (and (neg n) (sub w 1))))")},
      {.name = "uror",
       .result = kU,
       .sources = {kU, kU32},
       .meaning = WithCount("(or (lshr a n) (shl a (and (neg n) (sub w 1))))")},
      {.name = "shfr",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(trunc 32 (lshr (concat a b) (zext 64 (and c 31))))"},
  };
}

// Returns the ir3 ops that fuse two logic or shift ops. Their operands are in NIR's order, not in the order of
// the encoding.
std::vector<OpRow> FusedLogic() {
  return {
      {.name = "andg_ir3",
       .result = kU,
       .sources = {kU, kU, kU},
       .meaning = "(or (and a b) c)",
       .properties = kCommutes},
      {.name = "shrm_ir3", .result = kU, .sources = {kU, kU32, kU}, .meaning = WithCount("(and (lshr a n) c)")},
      {.name = "shlm_ir3", .result = kU, .sources = {kU, kU32, kU}, .meaning = WithCount("(and (shl a n) c)")},
      {.name = "shrg_ir3", .result = kU, .sources = {kU, kU32, kU}, .meaning = WithCount("(or (lshr a n) c)")},
      {.name = "shlg_ir3", .result = kU, .sources = {kU, kU32, kU}, .meaning = WithCount("(or (shl a n) c)")},
  };
}

}  // namespace

std::vector<OpRow> LogicAndShift() {
  std::vector<OpRow> rows = Logic();
  for (const auto& part : {Shifts(), FusedLogic()}) rows.insert(rows.end(), part.begin(), part.end());
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
