// The error statement of an inexact rule: measured errors of both sides in ULP against MPFR on inputs like those of
// shaders, a bound by intervals where that works, and what both sides give on special inputs.
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

// The inputs sampled, and those for which bounds hold: 0 and magnitudes from 2^-8 to 2^8.
inline constexpr int kSmallestInputExponent = -8, kLargestInputExponent = 8;

// Whether `input` is the sign of a zero literal that matches both zeros ("zero<n>", ir/float_contract.h); no variable's
// name has digits. It is +0 at all points below.
bool IsZeroSign(const ir::Input& input);

// Points for measuring: for each number in turn half of the values spread evenly over the logarithm of the magnitude,
// either sign, half over 0..1 (those below 2^-8 are 0); Booleans are either. At one point in eight a number lies
// within a 16th to a 32,768th part of another one or of a constant, either sign: there sums cancel. Only points that
// meet the preconditions; fewer than `count` where those are rare. One pattern per input of the Dag; the same seed
// gives the same points.
std::vector<std::vector<uint64_t>> SampledPoints(const PreparedCase& prepared,
                                                 const std::vector<InputReading>& readings, size_t count,
                                                 uint64_t seed);

// A small grid of 0, ±1, ±2, ±1/2 and the like, then SampledPoints: where sides that are not equal differ.
std::vector<std::vector<uint64_t>> TellingPoints(const PreparedCase& prepared,
                                                 const std::vector<InputReading>& readings, size_t count,
                                                 uint64_t seed);

struct MeasuredError {
  // In ULP of the exact value, over all components; nothing for Booleans or where no point could be measured. The
  // approximated functions are taken as correctly rounded.
  std::optional<double> before_max, before_median, after_max, after_median;
  size_t points = 0;           // components measured
  size_t defined_points = 0;   // points at which the search side exists over the reals
  size_t admitted_points = 0;  // all points
  // Where no error in ULP can be given: infinite or NaN results of numbers in range, and results other than 0 where the
  // exact value is 0. For Booleans: the wrong ones.
  size_t lost_before = 0, lost_after = 0;
  size_t wrong_before = 0, wrong_after = 0;
};

// `prepared` is a case in mode `preserve`. Unimplemented: a side has no reading over the reals.
absl::StatusOr<MeasuredError> MeasureError(const PreparedCase& prepared,
                                           const std::vector<std::vector<uint64_t>>& points);

// Errors in ULP at one input, the largest over the components; infinite where a side is no number, or not 0 where the
// exact value is.
struct PointError {
  double before = 0, after = 0;

  // How many times more the replacement is off. Half a unit is what rounding the result costs: less is no merit.
  double Growth() const { return std::isfinite(before) ? after / std::max(before, 0.5) : 0; }
};

struct HardInput {
  std::vector<uint64_t> point;  // as of SampledPoints
  PointError error;
};

struct HardInputs {
  std::optional<double> before_max, after_max;  // largest finite errors in ULP found, of each side for itself
  std::optional<HardInput> hardest;             // where the error grows most
};

// Climbs from the worst of `points` to worse inputs of the same range, `steps` times for each side and for the ratio of
// both: a number is moved by a part of itself, to another number or a constant, or changes its sign. Found, not proved
// to be the worst. The same seed finds the same.
absl::StatusOr<HardInputs> ClimbToHardInputs(const PreparedCase& prepared, const std::vector<InputReading>& readings,
                                             const std::vector<std::vector<uint64_t>>& points, size_t steps,
                                             uint64_t seed);

// An upper bound in ULP of the replacement's error for inputs as above, whatever the sign; nothing where a sum may
// cancel, a comparison may be decided by rounding, a function is approximated, or a value may overflow or be a
// denormal.
std::optional<double> ErrorBoundInUlp(const PreparedCase& prepared);

// What both sides give where an input is a NaN, an infinity, a zero, the largest number or a denormal, the others being
// ordinary: pairs of the kind of input and either "same" or "a: nan -> 0; b: inf -> {0, nan}", search first. Denormals
// twice: kept and flushed.
std::vector<std::pair<std::string, std::string>> SpecialTable(const RuleCase& rule_case,
                                                              const std::vector<InputReading>& readings);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_ERROR_H_
