// Functions that hardware approximates (docs/float_contract.md 4): uninterpreted in proofs, correctly rounded in
// evaluators. Mesa folds fexp2 and flog2 of doubles in single precision; these rows do not.
#include "ir/ops/families.h"

namespace rewrought::ir::ops {

std::vector<OpRow> FloatApproximate() {
  const std::string reference = "docs/float_contract.md 4";
  std::vector<OpRow> rows = {
      {.name = "fdiv", .result = kF, .sources = {kF, kF}, .meaning = "(approx div a b)"},
      {.name = "fpow", .result = kF, .sources = {kF, kF}, .meaning = "(approx pow a b)"},
      {.name = "frcp", .result = kF, .sources = {kF}, .meaning = "(approx rcp a)"},
      {.name = "frsq", .result = kF, .sources = {kF}, .meaning = "(approx rsq a)"},
      {.name = "fsqrt", .result = kF, .sources = {kF}, .meaning = "(approx sqrt a)"},
      {.name = "fexp2", .result = kF, .sources = {kF}, .meaning = "(approx exp2 a)"},
      {.name = "flog2", .result = kF, .sources = {kF}, .meaning = "(approx log2 a)"},
      {.name = "fsin", .result = kF, .sources = {kF}, .meaning = "(approx sin a)"},
      {.name = "fcos", .result = kF, .sources = {kF}, .meaning = "(approx cos a)"},
  };
  for (OpRow& row : rows) {
    row.contract = kArithmetic;
    row.properties = kApproximate;
    row.reference = reference;
  }
  return WithMesaReference(std::move(rows));
}

}  // namespace rewrought::ir::ops
