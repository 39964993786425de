// Lowers conditions on constants to the runtime's primitives: operations on signs and floats become arithmetic and
// comparisons on unsigned integers.
#ifndef REWROUGHT_EMITTER_C_PLAIN_STEPS_H_
#define REWROUGHT_EMITTER_C_PLAIN_STEPS_H_

#include "absl/status/statusor.h"
#include "ir/dag.h"

namespace rewrought::emitter {

// Adds the value `root` of `from` to `to` and returns its index. Uses only inputs, literals, and the primitives and,
// or, xor, add, sub, mul, shl, lshr, eq, ult, ite, zext, and extract. Fails with Unimplemented for other primitives,
// such as float arithmetic.
absl::StatusOr<ir::ValueIndex> InPlainSteps(const ir::Dag& from, ir::ValueIndex root, ir::Dag* to);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_PLAIN_STEPS_H_
