// Sources of instructions as rows of the tables: each form in which one may stand at its place, and what leads from one
// to the other (an op taken over, a constant, the first two sources exchanged).
#ifndef REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_
#define REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_

#include "absl/status/statusor.h"
#include "emitter/c/table_builder.h"
#include "machine/program.h"

namespace rewrought::emitter {

// The shape of source `index` of `instruction` as it is written, with those that it leads to. `may_exchange`: the first
// two sources can change places. Unimplemented, ResourceExhausted say what has no form.
absl::StatusOr<uint16_t> ShapeOf(const machine::Instruction& instruction, size_t index, bool may_exchange,
                                 TableBuilder* builder);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_
