// Generates vectors on the boundary of a comparison, where an input is adjacent to another input or to a value computed
// from the other inputs. Rounding matters on a boundary, but only one in 2^24 ordinary vectors lies on a boundary. For
// example, a < b * c and 0 < fma(b, c, -a) may differ on a boundary.
#ifndef REWROUGHT_VERIFIER_BOUNDARY_LANES_H_
#define REWROUGHT_VERIFIER_BOUNDARY_LANES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "ir/batch.h"
#include "ir/dag.h"

namespace rewrought::verifier {

// In each of `lanes` lanes, sets one input of `leaves` to a value of the same width: another input, or the result of a
// float operation below `roots` that does not depend on the input. At random, negates the stored value, replaces it
// with an adjacent bit pattern, or does both. Returns false and leaves `leaves` unchanged if there is no such input.
// `random` returns 64 random bits. Choices for which `leaves` has no lanes are zero.
bool MoveToBoundaries(const ir::Dag& dag, absl::Span<const ir::ValueIndex> roots, size_t lanes,
                      const std::function<uint64_t()>& random, ir::BatchLeaves* leaves);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_BOUNDARY_LANES_H_
