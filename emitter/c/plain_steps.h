// Conditions of constants in the few primitives that the runtime computes: what a condition says of signs and floats
// becomes arithmetic and compares of plain bits.
#ifndef REWROUGHT_EMITTER_C_PLAIN_STEPS_H_
#define REWROUGHT_EMITTER_C_PLAIN_STEPS_H_

#include "absl/status/statusor.h"
#include "ir/dag.h"

namespace rewrought::emitter {

// `root` of `from` as a value of `to` over inputs, literals, and, or, xor, add, sub, mul, shl, lshr, eq, ult, ite, zext
// and extract. Unimplemented names a primitive that has no such form: float arithmetic, say.
absl::StatusOr<ir::ValueIndex> InPlainSteps(const ir::Dag& from, ir::ValueIndex root, ir::Dag* to);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_PLAIN_STEPS_H_
