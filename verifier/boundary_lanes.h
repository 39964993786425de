// Vectors on the boundary of a comparison: one input is next to another, or to something computed from the others.
// Rounding decides there, and ordinary values meet it once in 2^24 times: a < b * c is not 0 < fma(b, c, -a).
#ifndef REWROUGHT_VERIFIER_BOUNDARY_LANES_H_
#define REWROUGHT_VERIFIER_BOUNDARY_LANES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "ir/batch.h"
#include "ir/dag.h"

namespace rewrought::verifier {

// In each of `lanes` lanes, sets one input of `leaves` to another of its width, or to what a float operation below
// `roots` gives there of the others: as it is, negated, or one step off. False if there is none; `leaves` is unchanged
// then. `random` gives 64 random bits; choices without lanes read as zeros.
bool PutOnBoundaries(const ir::Dag& dag, absl::Span<const ir::ValueIndex> roots, size_t lanes,
                     const std::function<uint64_t()>& random, ir::BatchLeaves* leaves);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_BOUNDARY_LANES_H_
