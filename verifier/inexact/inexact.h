// Verifies inexact rules (`~`), a class apart from what is proved bit for bit: equal over the reals, with a statement
// of the errors of both sides and of what they give on special inputs. Never a proof in the strict sense.
#ifndef REWROUGHT_VERIFIER_INEXACT_INEXACT_H_
#define REWROUGHT_VERIFIER_INEXACT_INEXACT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/budget.h"
#include "verifier/inexact/rounding_bound.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// An error bound that grows no more than this is counted as rounding, not as lost digits. Classes of what holds:
//   not less accurate  shown for every input: the bound of the replacement's error is at most kMostGrowth times that of
//                      the search side (GrowthOfErrors), and no more sampled inputs are lost;
//   cancelling         an input was found at which the error is more than kMostGrowth times that of the search side, or
//                      more sampled inputs are lost;
//   unknown            neither.
inline constexpr double kMostGrowth = 4;

struct InexactOptions {
  uint32_t solver_work_ms = kRealsWork;
  size_t points = 2048;                  // sampled for errors, and tried for a difference
  size_t points_when_approximate = 512;  // where MPFR has to evaluate every function
  bool errors = true;                    // state them; without, what holds over the reals alone is said
  // Whether the target fuses products into sums of that many bits: errors are those of the fused sides then. Null: no.
  std::function<bool(int)> fuses;
  bool is_program = false;  // the replacement is one: nothing in it is fused any more
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
  // Measured (MeasureError, and the worst of ClimbToHardInputs); nothing for Booleans, and unless reals_equal.
  std::optional<double> ulp_before_max, ulp_before_median, ulp_after_max, ulp_after_median;
  // SpecialTable, then the counts of lost inputs where there are any. Empty unless reals_equal.
  std::vector<std::pair<std::string, std::string>> special;
  // Sampled inputs at which a side is not finite, not 0 where the exact value is, or a wrong Boolean.
  size_t lost_before = 0, lost_after = 0;
  // How far the error of the replacement can grow, as written and where the target fuses products into sums; the class
  // follows from the one that the target asks for. And the worst input found: "a = 1.5, b = -1.5: 0.4 -> 15953 ULP",
  // empty if the error grows nowhere.
  ErrorGrowth growth_as_written, growth_fused;
  v1::AccuracyClass accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;
  std::string hardest;
  double hardest_growth = 0;  // PointError::Growth there
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

// Whether some node of the search side is marked `~`.
bool IsMarkedInexact(const ir::Term& search);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_H_
