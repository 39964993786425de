// Adds the sources of instructions to the tables: a row for each form of a source at its position, with the transitions
// between forms (folding an op, binding a constant, exchanging the first two sources).
#ifndef REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_
#define REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_

#include "absl/status/statusor.h"
#include "emitter/c/table_builder.h"
#include "machine/program.h"

namespace rewrought::emitter {

// Returns the shape of source `index` of `instruction` and adds the shapes reachable from it. `may_exchange` states
// whether the first two sources may be exchanged. Fails with Unimplemented or ResourceExhausted.
absl::StatusOr<uint16_t> ShapeOf(const machine::Instruction& instruction, size_t index, bool may_exchange,
                                 TableBuilder* builder);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_OPERAND_SHAPES_H_
