// Proves that no combination of choices produces a given result, even if there are too many combinations to try. A NaN
// inside the term has 2^24 patterns at 32 bits, but hardly any op distinguishes them, so the evaluation treats the
// pattern as unknown.
#ifndef REWROUGHT_IR_EXCLUSION_H_
#define REWROUGHT_IR_EXCLUSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/evaluate.h"

namespace rewrought::ir {

// Returns whether a choice is wide: it chooses a NaN's pattern or an arbitrary value, so it has too many values to try.
bool IsWide(const Choice& choice);

// Returns true only if no values of the choices make `term` return `target` (one value per root component) on `inputs`.
// Returns false if the term may return it, or if an op depends on the bits of a NaN or of a poison value.
bool IsExcluded(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                absl::Span<const uint64_t> target);

// Returns all results of `term` on `inputs`, sorted. Returns nullopt if there are more than `limit` results, or if a
// result may be any value.
std::optional<std::vector<AllowedResult>> OpenResults(const Dag& dag, const ChoiceTerm& term,
                                                      absl::Span<const uint64_t> inputs, size_t limit);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_EXCLUSION_H_
