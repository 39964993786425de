// Computes the error statement of an inexact rule: both sides' errors in ULP, measured against MPFR on inputs typical
// of shaders; a bound from interval arithmetic, if possible; and both sides' results on special inputs.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_ERROR_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_ERROR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verifier/inexact/inexact_reading.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// The range of sampled inputs: 0 and magnitudes from 2^-8 to 2^8. The bounds hold for the same range.
inline constexpr int kSmallestInputExponent = -8, kLargestInputExponent = 8;

// Returns whether `input` is the sign of a zero literal that matches both zeros. Its name, "zero<n>"
// (ir/float_contract.h), cannot be that of a variable, because variable names do not contain digits. The sign is + at
// all points below.
bool IsZeroSign(const ir::Input& input);

// Returns points for measurements. For each number, half of the values are uniform in the logarithm of the magnitude,
// with either sign, and half are uniform in 0..1 (with values below 2^-8 set to 0). Booleans take both values. At one
// point in eight, a number is within a relative distance of 2^-4 to 2^-15 of another number or of a constant, with
// either sign, so that sums cancel. All points satisfy the preconditions; if such points are rare, the result has fewer
// than `count`. A point has one pattern per input of the Dag. The result is deterministic for a given seed.
std::vector<std::vector<uint64_t>> SampledPoints(const PreparedCase& prepared,
                                                 const std::vector<InputReading>& readings, size_t count,
                                                 uint64_t seed);

// Returns a small grid of 0, ±1, ±2, ±1/2 and similar values, followed by SampledPoints, to detect differences between
// the sides.
std::vector<std::vector<uint64_t>> DistinguishingPoints(const PreparedCase& prepared,
                                                        const std::vector<InputReading>& readings, size_t count,
                                                        uint64_t seed);

struct MeasuredError {
  // The errors in ULP of the exact value, over all components; unset for Booleans or if no point could be measured.
  // Approximated functions count as correctly rounded.
  std::optional<double> before_max, before_median, after_max, after_median;
  size_t points = 0;           // number of measured components
  size_t defined_points = 0;   // points at which the search side is defined over the reals
  size_t admitted_points = 0;  // total number of points
  // The numbers of results without an error in ULP: infinities and NaNs for inputs in range, and nonzero results if the
  // exact value is 0. For Booleans, the numbers of wrong results.
  size_t lost_before = 0, lost_after = 0;
  size_t wrong_before = 0, wrong_after = 0;
};

// Measures the errors of `prepared`, a case in mode `preserve`. Fails with Unimplemented if a side has no
// interpretation over the reals.
absl::StatusOr<MeasuredError> MeasureError(const PreparedCase& prepared,
                                           const std::vector<std::vector<uint64_t>>& points);

// Errors in ULP at one input, the maximum over the components. Infinite if a side is not a number, or is nonzero
// although the exact value is 0.
struct PointError {
  double before = 0, after = 0;

  // Returns the ratio of the replacement's error to the search's error. The search's error counts as at least half an
  // ulp, because rounding the result costs that much anyway.
  double Growth() const { return std::isfinite(before) ? after / std::max(before, 0.5) : 0; }
};

struct HardInput {
  std::vector<uint64_t> point;  // as returned by SampledPoints
  PointError error;
};

struct HardInputs {
  std::optional<double> before_max, after_max;  // the largest finite error in ULP found for each side
  std::optional<HardInput> hardest;             // the input at which the error grows most
};

// Searches for worse inputs in the same range by hill climbing from the worst of `points`. Takes `steps` steps each for
// the two sides' errors and for the ratio of these errors. A step moves a number by a fraction of itself, or to another
// number or a constant, or changes its sign. The inputs are not proved to be the worst. The result is deterministic for
// a given seed.
absl::StatusOr<HardInputs> ClimbToHardInputs(const PreparedCase& prepared, const std::vector<InputReading>& readings,
                                             const std::vector<std::vector<uint64_t>>& points, size_t steps,
                                             uint64_t seed);

// Returns an upper bound in ULP of the replacement's error for inputs in the range above, of any sign. Returns nullopt
// if a sum may cancel, if rounding may decide a comparison, if a function is approximated, or if a value may overflow
// or be a denormal.
std::optional<double> ErrorBoundInUlp(const PreparedCase& prepared);

// Returns both sides' results for points at which one input is a NaN, an infinity, a zero, the largest finite number or
// a denormal, and the other inputs are ordinary. Each pair has the kind of input and either "same" or "a: nan -> 0; b:
// inf -> {0, nan}", with the search's result first. Denormals occur twice: kept and flushed.
std::vector<std::pair<std::string, std::string>> SpecialTable(const RuleCase& rule_case,
                                                              const std::vector<InputReading>& readings);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_ERROR_H_
