// The vector tier: evaluates both sides of a case on special and random inputs, and finds witnesses in microseconds.
#ifndef REWROUGHT_VERIFIER_VECTORS_H_
#define REWROUGHT_VERIFIER_VECTORS_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "verifier/rule_case.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

// Patterns of `width` bits on which rewrites tend to fail: zeros, denormals, the smallest normal, one and its
// neighbours, powers of two, the largest numbers, infinities, NaNs; small integers, masks and extremes. Fixed order, no
// duplicates.
const std::vector<uint64_t>& SpecialValues(int width);

struct VectorOptions {
  size_t lanes = 8192;                  // vectors tried for each way of choosing
  size_t lanes_when_approximate = 512;  // where MPFR has to evaluate
  size_t ordinary_share = 8;            // beside them, one of so many with ordinary values, and as many on boundaries
  size_t max_checks = 256;              // suspicious vectors examined exactly, of each of these
  size_t max_copies = 4;                // search copies learnt
  uint64_t seed = 0x9e3779b97f4a7c15;
};

struct VectorOutcome {
  std::optional<Witness> witness;      // refuted
  bool admitted = false;               // some vector met the preconditions
  std::vector<ChoiceLiterals> copies;  // how the search side had to choose on vectors where the plain copies differed
};

// Runs the tier. Error: the case cannot be lowered.
absl::StatusOr<VectorOutcome> TryVectors(PreparedCase* prepared, const VectorOptions& options);

// Verifies one input (one value per dag().inputs()) with T's choices given (one per replace().choices): a witness if
// the search side cannot give T's result, else how it can, else neither where that could not be settled by evaluation.
struct PointOutcome {
  std::optional<Witness> witness;
  std::optional<ChoiceLiterals> copy;
  std::vector<uint64_t> replace;  // T's result, by component
  bool admitted = true;           // the preconditions hold
};
PointOutcome VerifyPoint(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                         absl::Span<const uint64_t> replace_choices);

// Verifies all inputs where they have at most `max_bits` bits together: kProved (kExhaustive), kRefuted, or kUnknown
// when there are too many, one could not be settled, or `cancel` was requested.
CaseResult TryExhaustive(PreparedCase* prepared, int max_bits, const std::stop_token& cancel = {});

// The same of up to 2^32 inputs, many at once (most of a minute of a core for all of them): kProved, kRefuted with the
// first input that shows it, or kUnknown: a side has choices, approximates a function or is not to be stated, inputs
// have more than `max_bits` bits together (32 at the most), none is admitted, or `cancel` was asked; with a reason
// where two ways to evaluate one input differ, which nothing that follows may outvote.
CaseResult TryAllInputs(PreparedCase* prepared, int max_bits, const std::stop_token& cancel);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_VECTORS_H_
