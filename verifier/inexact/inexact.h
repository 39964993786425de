// Verifies inexact rules (`~`), a class apart from what is proved bit for bit: equal over the reals, with a statement
// of the errors of both sides and of what they give on special inputs. Never a proof in the strict sense.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

struct InexactOptions {
  uint32_t solver_timeout_ms = 3000;
  size_t points = 2048;                  // sampled for errors, and tried for a difference
  size_t points_when_approximate = 512;  // where MPFR has to evaluate every function
  uint64_t seed = 0x5eed0f1e55;
  std::stop_token cancel;
};

struct InexactVerdict {
  bool reals_equal = false;
  // "proved", with where it holds and the identities used; "refuted" with the point and both values; "unknown" with the
  // reason. The first word is one of these three.
  std::string reals;
  // Of the replacement, for inputs of 0 or magnitude 2^-8 to 2^8 (ErrorBoundInUlp).
  std::optional<double> ulp_bound;
  // Measured (MeasureError); nothing for Booleans, and unless reals_equal.
  std::optional<double> ulp_before_max, ulp_before_median, ulp_after_max, ulp_after_median;
  // SpecialTable, then the counts of lost inputs where there are any. Empty unless reals_equal.
  std::vector<std::pair<std::string, std::string>> special;
  // Sampled inputs at which a side is not finite, not 0 where the exact value is, or a wrong Boolean.
  size_t lost_before = 0, lost_after = 0;
  bool holds = false;
};

// Verifies one case of known sizes whose search has `~` on some node and which was not proved strictly; its mode is not
// used. The caller sees to it that no matched node is `exact`. Constants are the numbers that their patterns at the
// case's size stand for: 0.1 at 32 bits is 13421773 / 2^27, not 1/10; a constant subexpression is its rounded value.
// It holds: equal over the reals wherever the search side exists there (and the replacement exists there too), which
// some sampled inputs show to be more than a few points, and both sides could be measured. `solver` (Z3, Tactic::kReal)
// may be null: then only what normal forms decide is inexact. InvalidArgument: the case cannot be lowered. What cannot
// be read over the reals is "unknown".
absl::StatusOr<InexactVerdict> VerifyInexact(const RuleCase& rule_case, Solver* solver,
                                             const InexactOptions& options = {});

// Whether the measured errors of the replacement stay near those of the search side: the median at most twice as large
// (or 2 ULP), the largest at most 16 times (or 8 ULP), and no more inputs lost (docs/decisions, "What an inexact rule
// may lose"). Sampled: an input at which digits cancel may have been missed.
bool NotLessAccurate(const InexactVerdict& verdict);

// Whether some node of the search side is marked `~`.
bool IsMarkedInexact(const ir::Term& search);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_H_
