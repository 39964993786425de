// Integer arithmetic, modulo 2^n unless a row states otherwise. The meanings of averages, saturation and carries need
// no wider intermediate, so one term serves every width up to 64.
#include "ir/ops/families.h"
#include "ir/ops/packed_integer.h"

namespace rewrought::ir::ops {
namespace {

constexpr const char* kDivisionOverflows = "(and (eq a (signbit)) (eq b -1))";
constexpr const char* kUndefined = "docs/float_contract.md 2.5: poison";

std::vector<OpRow> Sums() {
  return {
      {.name = "iadd",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(add a b)",
       .properties = kCommutesAndAssociates,
       .signed_wrap = "(let sum (add a b) (slt (and (xor a sum) (xor b sum)) 0))",
       .unsigned_wrap = "(ult (add a b) a)"},
      {.name = "isub",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(sub a b)",
       .signed_wrap = "(slt (and (xor a b) (xor a (sub a b))) 0)",
       .unsigned_wrap = "(ult a b)"},
      {.name = "iadd3",
       .result = kI,
       .sources = {kI, kI, kI},
       .meaning = "(add a b c)",
       .properties = kCommutesAndAssociates},
      {.name = "ineg",
       .result = kI,
       .sources = {kI},
       .meaning = "(neg a)",
       .signed_wrap = "(eq a (signbit))",
       .unsigned_wrap = "(not (eq a 0))"},
      {.name = "iabs", .result = kI, .sources = {kI}, .meaning = "(ite (slt a 0) (neg a) a)"},
      {.name = "isign", .result = kI, .sources = {kI}, .meaning = "(ite (eq a 0) 0 (ite (slt a 0) -1 1))"},
      {.name = "imin",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(ite (slt b a) b a)",
       .properties = kCommutesAndAssociates},
      {.name = "imax",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(ite (slt a b) b a)",
       .properties = kCommutesAndAssociates},
      {.name = "umin",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(ite (ult b a) b a)",
       .properties = kCommutesAndAssociates},
      {.name = "umax",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(ite (ult a b) b a)",
       .properties = kCommutesAndAssociates},
      {.name = "uabs_isub", .result = kU, .sources = {kI, kI}, .meaning = "(ite (slt a b) (sub b a) (sub a b))"},
      {.name = "uabs_usub", .result = kU, .sources = {kU, kU}, .meaning = "(ite (ult a b) (sub b a) (sub a b))"},
  };
}

std::vector<OpRow> SaturationAndAverages() {
  return {
      // The sum overflows if the operands have the same sign and the result has the opposite sign.
      {.name = "iadd_sat",
       .result = kI,
       .sources = {kI, kI},
       .meaning =
           "(let sum (add a b) (ite (slt (and (xor a sum) (xor b sum)) 0) (ite (slt a 0) (signbit) (intmax)) sum))",
       .properties = kCommutes},
      {.name = "isub_sat",
       .result = kI,
       .sources = {kI, kI},
       .meaning =
           "(let rest (sub a b) (ite (slt (and (xor a b) (xor a rest)) 0) (ite (slt a 0) (signbit) (intmax)) rest))"},
      {.name = "uadd_sat",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(let sum (add a b) (ite (ult sum a) -1 sum))",
       .properties = kCommutes},
      {.name = "usub_sat", .result = kU, .sources = {kU, kU}, .meaning = "(ite (ult a b) 0 (sub a b))"},
      {.name = "uadd_carry",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(zext w (ult (add a b) a))",
       .properties = kCommutes},
      {.name = "usub_borrow", .result = kU, .sources = {kU, kU}, .meaning = "(zext w (ult a b))"},
      {.name = "ihadd",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(add (and a b) (ashr (xor a b) 1))",
       .properties = kCommutes},
      {.name = "uhadd",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(add (and a b) (lshr (xor a b) 1))",
       .properties = kCommutes},
      {.name = "irhadd",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(sub (or a b) (ashr (xor a b) 1))",
       .properties = kCommutes},
      {.name = "urhadd",
       .result = kU,
       .sources = {kU, kU},
       .meaning = "(sub (or a b) (lshr (xor a b) 1))",
       .properties = kCommutes},
  };
}

std::vector<OpRow> Products() {
  return {
      {.name = "imul",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(mul a b)",
       .properties = kCommutesAndAssociates,
       .signed_wrap = "(not (eq (mulhs a b) (ite (slt (mul a b) 0) -1 0)))",
       .unsigned_wrap = "(not (eq (mulhu a b) 0))"},
      {.name = "imad", .result = kI, .sources = {kI, kI, kI}, .meaning = "(add (mul a b) c)", .properties = kCommutes},
      // Signed overflow at the node's size is poison. Mesa's definition refers to the size of the addressed variable
      // instead.
      {.name = "amul",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(mul a b)",
       .poison = "(not (eq (mulhs a b) (ashr (mul a b) (sub w 1))))",
       .properties = kCommutesAndAssociates,
       .reference = kUndefined},
      {.name = "imul_high", .result = kI, .sources = {kI, kI}, .meaning = "(mulhs a b)", .properties = kCommutes},
      {.name = "umul_high", .result = kU, .sources = {kU, kU}, .meaning = "(mulhu a b)", .properties = kCommutes},
      {.name = "umul_low",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = "(mul (and a 0xffff) (and b 0xffff))",
       .properties = kCommutes},
      {.name = "imul_2x32_64",
       .result = kI64,
       .sources = {kI32, kI32},
       .meaning = "(mul (sext 64 a) (sext 64 b))",
       .properties = kCommutes},
      {.name = "umul_2x32_64",
       .result = kU64,
       .sources = {kU32, kU32},
       .meaning = "(mul (zext 64 a) (zext 64 b))",
       .properties = kCommutes},
      {.name = "imul_32x16", .result = kI32, .sources = {kI32, kI32}, .meaning = "(mul a (sext 32 (trunc 16 b)))"},
      {.name = "umul_32x16", .result = kU32, .sources = {kU32, kU32}, .meaning = "(mul a (and b 0xffff))"},
      {.name = "imul24",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = "(mul (sext 32 (trunc 24 a)) (sext 32 (trunc 24 b)))",
       .properties = kCommutesAndAssociates},
      {.name = "umul24",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = "(mul (and a 0xffffff) (and b 0xffffff))",
       .properties = kCommutesAndAssociates},
      {.name = "umad24",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(add (mul (and a 0xffffff) (and b 0xffffff)) c)",
       .properties = kCommutes},
      {.name = "imul24_relaxed",
       .result = kI32,
       .sources = {kI32, kI32},
       .meaning = "(mul a b)",
       .poison = "(not (and (eq a (sext 32 (trunc 24 a))) (eq b (sext 32 (trunc 24 b)))))",
       .properties = kCommutesAndAssociates,
       .reference = kUndefined},
      {.name = "umul24_relaxed",
       .result = kU32,
       .sources = {kU32, kU32},
       .meaning = "(mul a b)",
       .poison = "(or (ult 0xffffff a) (ult 0xffffff b))",
       .properties = kCommutesAndAssociates,
       .reference = kUndefined},
      {.name = "umad24_relaxed",
       .result = kU32,
       .sources = {kU32, kU32, kU32},
       .meaning = "(add (mul a b) c)",
       .poison = "(or (ult 0xffffff a) (ult 0xffffff b))",
       .properties = kCommutes,
       .reference = kUndefined},
  };
}

std::vector<OpRow> Quotients() {
  return {
      {.name = "udiv", .result = kU, .sources = {kU, kU}, .meaning = "(ite (eq b 0) 0 (udiv a b))"},
      {.name = "umod", .result = kU, .sources = {kU, kU}, .meaning = "(ite (eq b 0) 0 (urem a b))"},
      {.name = "idiv",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(ite (eq b 0) 0 (sdiv a b))",
       .poison = kDivisionOverflows,
       .reference = kUndefined},
      {.name = "irem",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(ite (eq b 0) 0 (srem a b))",
       .poison = kDivisionOverflows,
       .reference = kUndefined},
      {.name = "imod",
       .result = kI,
       .sources = {kI, kI},
       .meaning = "(let rest (srem a b) (ite (eq b 0) 0 "
                  "(ite (or (eq rest 0) (eq (slt rest 0) (slt b 0))) rest (add rest b))))",
       .poison = kDivisionOverflows,
       .reference = kUndefined},
      {.name = "udiv_aligned_4",
       .result = kU,
       .sources = {kU},
       .meaning = "(lshr a 2)",
       .poison = "(not (eq (and a 3) 0))",
       .reference = kUndefined,
       .free_sizes = {8, 16, 32, 64}},
  };
}

}  // namespace

std::vector<OpRow> IntegerArithmetic() {
  std::vector<OpRow> rows = Sums();
  for (const auto& part : {SaturationAndAverages(), Products(), Quotients(), PackedInteger()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
