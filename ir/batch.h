// The batch domain evaluates values of a Dag on many lanes at once. It computes both branches of an ite, so each
// choice, like each input, needs a value on every lane.
#ifndef REWROUGHT_IR_BATCH_H_
#define REWROUGHT_IR_BATCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/dag.h"

namespace rewrought::ir {

// The values of the inputs and choices: one value per lane, within the width of the input or choice.
struct BatchLeaves {
  std::vector<std::vector<uint64_t>> inputs;   // indexed by input
  std::vector<std::vector<uint64_t>> choices;  // indexed by choice; an empty vector reads as zeros
};

// Returns the values of `roots` on every lane as result[r][lane]. Each non-empty vector in `leaves` must have `lanes`
// values. Approximated functions use MPFR and take microseconds per lane.
std::vector<std::vector<uint64_t>> EvaluateBatch(const Dag& dag, absl::Span<const ValueIndex> roots,
                                                 const BatchLeaves& leaves, size_t lanes);

// Applies ir::EvaluatePrimitive to each of `lanes` lanes. Operands that the primitive does not read may be null. `out`
// may alias an operand.
void EvaluateLanes(Primitive primitive, int width, int operand_width, uint64_t immediate, size_t lanes,
                   const uint64_t* x, const uint64_t* y, const uint64_t* z, uint64_t* out);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_BATCH_H_
