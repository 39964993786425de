// Selections, which copy the bits of the selected source. Mesa types the data operands of fcsel, fcsel_ge and
// fcsel_gt as floats. Here the data operands and the result are kUint, so that only the condition may be flushed
// (docs/float_contract.md 3).
#include "ir/ops/families.h"

namespace rewrought::ir::ops {
namespace {

constexpr OperandType kB8 = {BaseType::kBool, 8}, kB16 = {BaseType::kBool, 16};

}  // namespace

std::vector<OpRow> Select() {
  std::vector<OpRow> rows = {
      {.name = "bcsel", .result = kU, .sources = {kB1, kU, kU}, .meaning = "(ite a b c)"},
      {.name = "b8csel", .result = kU, .sources = {kB8, kU, kU}, .meaning = "(ite (eq a 0) c b)"},
      {.name = "b16csel", .result = kU, .sources = {kB16, kU, kU}, .meaning = "(ite (eq a 0) c b)"},
      {.name = "b32csel", .result = kU, .sources = {kB32, kU, kU}, .meaning = "(ite (eq a 0) c b)"},
      {.name = "icsel_eqz", .result = kI, .sources = {kI, kI, kI}, .meaning = "(ite (eq a 0) b c)"},
      {.name = "i32csel_gt", .result = kI32, .sources = {kI32, kI32, kI32}, .meaning = "(ite (slt 0 a) b c)"},
      {.name = "i32csel_ge", .result = kI32, .sources = {kI32, kI32, kI32}, .meaning = "(ite (slt a 0) c b)"},
      // For a NaN condition, fcsel selects b, because a NaN is not equal to 0. The ordered comparisons select c.
      {.name = "fcsel",
       .result = kU32,
       .sources = {kF32, kU32, kU32},
       .contract = kMayFlush,
       .meaning = "(ite (feq a (f 0.0)) c b)",
       .reference = "docs/float_contract.md 3"},
      {.name = "fcsel_gt",
       .result = kU32,
       .sources = {kF32, kU32, kU32},
       .contract = kMayFlush,
       .meaning = "(ite (flt (f 0.0) a) b c)",
       .reference = "docs/float_contract.md 3"},
      {.name = "fcsel_ge",
       .result = kU32,
       .sources = {kF32, kU32, kU32},
       .contract = kMayFlush,
       .meaning = "(ite (fle (f 0.0) a) b c)",
       .reference = "docs/float_contract.md 3"},
  };
  for (OpRow& row : rows) row.properties = kIsSelection;
  // AGX's minimum and maximum of binary32 return one source's bits without flushing, and return the second of two
  // equal sources. Mesa marks them as commutative, but for +0 and -0 or for two NaNs they are not.
  rows.push_back(
      {.name = "fmin_agx", .result = kU32, .sources = {kF32, kF32}, .meaning = "(ite (or (flt a b) (isnan b)) a b)"});
  rows.push_back(
      {.name = "fmax_agx", .result = kU32, .sources = {kF32, kF32}, .meaning = "(ite (or (flt b a) (isnan b)) a b)"});
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
