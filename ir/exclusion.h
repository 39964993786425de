// Whether no choice at all lets a term give a result, where there are too many choices to try: an inner NaN has 2^24
// patterns at 32 bits, and hardly any op tells them apart. The evaluation keeps such a value open.
#ifndef REWROUGHT_IR_EXCLUSION_H_
#define REWROUGHT_IR_EXCLUSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/evaluate.h"

namespace rewrought::ir {

// Whether a choice has too many values to try: a NaN's pattern, or any value.
bool IsWide(const Choice& choice);

// True only if `term` gives `target` (one value per root component) on `inputs` under no values of its choices. False
// says nothing: the term may give it, or an op looks into a NaN's bits or into a poison value.
bool IsExcluded(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                absl::Span<const uint64_t> target);

// All results that `term` gives on `inputs`, sorted, if no more than `limit`. Nothing where one may be anything, or
// there are more.
std::optional<std::vector<AllowedResult>> OpenResults(const Dag& dag, const ChoiceTerm& term,
                                                      absl::Span<const uint64_t> inputs, size_t limit);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_EXCLUSION_H_
