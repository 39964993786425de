// The vector tier evaluates both sides of a case on special and random inputs, and finds witnesses in microseconds.
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

// Returns `width`-bit patterns on which rewrites tend to fail, in a fixed order without duplicates: zeros, denormals,
// the smallest normal, one and its neighbors, powers of two, the largest numbers, infinities, NaNs, small integers,
// masks and extremes.
const std::vector<uint64_t>& SpecialValues(int width);

struct VectorOptions {
  size_t lanes = 8192;                  // vectors per policy for choices
  size_t lanes_when_approximate = 512;  // vectors per policy if evaluation needs MPFR
  size_t ordinary_share = 8;            // adds lanes / ordinary_share ordinary vectors and as many on boundaries
  size_t max_checks = 256;              // maximum number of suspicious vectors to examine exactly, per kind of vector
  size_t max_copies = 4;                // maximum number of copies of the search side to learn
  uint64_t seed = 0x9e3779b97f4a7c15;
};

struct VectorOutcome {
  std::optional<Witness> witness;      // set if refuted
  bool admitted = false;               // whether some vector satisfied the preconditions
  std::vector<ChoiceLiterals> copies;  // the search side's choices where the plain copies differ from the replacement
};

// Evaluates both sides on vectors. Fails if the case cannot be lowered. If `cancel` is requested, returns soon, and the
// outcome may lack a witness.
absl::StatusOr<VectorOutcome> TryVectors(PreparedCase* prepared, const VectorOptions& options,
                                         const std::stop_token& cancel = {});

// Verifies one input (one value per dag().inputs()) with fixed choices of the replacement T (one per
// replace().choices). Returns a witness if the search side cannot produce T's result, a copy that produces it if the
// search side can, and neither if evaluation does not decide.
struct PointOutcome {
  std::optional<Witness> witness;
  std::optional<ChoiceLiterals> copy;
  std::vector<uint64_t> replace;  // T's result, indexed by component
  bool admitted = true;           // whether the preconditions hold
};
PointOutcome VerifyPoint(const PreparedCase& prepared, absl::Span<const uint64_t> inputs,
                         absl::Span<const uint64_t> replace_choices);

// Verifies all inputs if they have at most `max_bits` bits in total. Returns VERDICT_PROVED (with TIER_EXHAUSTIVE),
// VERDICT_REFUTED, or VERDICT_UNKNOWN if there are too many inputs, an input is undecided, or `cancel` requests a stop.
CaseResult TryExhaustive(PreparedCase* prepared, int max_bits, const std::stop_token& cancel = {});

// Like TryExhaustive, but evaluates up to 2^32 inputs in batches (2^32 inputs take most of a minute on one core).
// Returns VERDICT_PROVED, or VERDICT_REFUTED with the first counterexample. Returns VERDICT_UNKNOWN if a side makes
// choices, approximates a function or cannot be lowered, if the inputs have more than `max_bits` bits in total (at most
// 32), if no input is admitted, or if `cancel` requests a stop. If two evaluators disagree on an input, returns
// VERDICT_UNKNOWN with a reason, and no later tier may override it.
CaseResult TryAllInputs(PreparedCase* prepared, int max_bits, const std::stop_token& cancel);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_VECTORS_H_
