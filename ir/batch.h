// The batch domain: evaluates values of a Dag on many lanes at once. Strict (both branches of an ite are computed), so
// choices are lanes too. Checked lane by lane against the scalar domain.
#ifndef REWROUGHT_IR_BATCH_H_
#define REWROUGHT_IR_BATCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/dag.h"

namespace rewrought::ir {

// Gives lanes of a leaf: `lanes` values, each within the leaf's width.
struct BatchLeaves {
  std::vector<std::vector<uint64_t>> inputs;   // by input index
  std::vector<std::vector<uint64_t>> choices;  // by choice index; an empty one reads as zeros
};

// The values of `roots` on every lane: result[r][lane]. All non-empty leaves must have `lanes` values.
// Approximated functions go through MPFR and are slow (microseconds a lane).
std::vector<std::vector<uint64_t>> EvaluateBatch(const Dag& dag, absl::Span<const ValueIndex> roots,
                                                 const BatchLeaves& leaves, size_t lanes);

// ir::EvaluatePrimitive on `lanes` lanes; what the primitive does not read may be null. `out` may be x, y or z.
void EvaluateLanes(Primitive primitive, int width, int operand_width, uint64_t immediate, size_t lanes,
                   const uint64_t* x, const uint64_t* y, const uint64_t* z, uint64_t* out);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_BATCH_H_
