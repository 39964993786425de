// Lowers terms with open choices in a dialect of NIR. ir/evaluate.h does so in the dialect nir-25.
#ifndef REWROUGHT_IR_DIALECT_CHOICES_H_
#define REWROUGHT_IR_DIALECT_CHOICES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"
#include "ir/evaluate.h"

namespace rewrought::ir {

// Lowers a term as LowerWithChoices does, with the differences that LowerTermIn (ir/dialect/lowering.h) lists.
absl::StatusOr<ChoiceTerm> LowerWithChoicesIn(Dialect dialect, Dag* dag, const Term& term, DenormMode mode,
                                              uint32_t first_choice);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_CHOICES_H_
