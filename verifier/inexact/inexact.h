// Verifies inexact rules (`~`), which are separate from rules that are proved to be bit-exact. The sides of an inexact
// rule are equal over the reals, and a statement describes their errors and their results on special inputs. Such a
// verdict is never a proof in the strict sense.
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
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/budget.h"
#include "verifier/inexact/rounding_bound.h"
#include "verifier/rule_case.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// The version of the statements about inexact rules. Raise it when a statement changes, because stored statements of
// other versions are then not trusted.
inline constexpr absl::string_view kInexactVersion = "inexact-2";

// An error bound that grows by at most this factor counts as rounding error, not as lost digits. The accuracy classes
// are:
//   not less accurate  shown for almost all inputs: the bound of the replacement's error is at most kMostGrowth times
//                      that of the search side (GrowthOfErrors), and the replacement loses no more sampled inputs;
//   cancelling         at some input, the error is more than kMostGrowth times that of the search side, or the
//                      replacement loses more sampled inputs;
//   unknown            otherwise.
inline constexpr double kMostGrowth = 4;

struct InexactOptions {
  uint32_t solver_work_ms = kRealsWork;
  size_t points = 2048;                  // samples for errors and attempts to find a difference
  size_t points_when_approximate = 512;  // the same if a function must be evaluated with MPFR
  bool errors = true;                    // state the errors; if false, only equality over the reals is decided
  // Returns whether the target fuses products into sums of the given width. If so, the errors are measured with
  // products fused. Null means that the target fuses no products.
  std::function<bool(int)> fuses;
  bool keeps_products_of_constants = false;  // Fusing::keeps_products_of_constants
  bool is_program = false;                   // the replacement is a machine program, in which nothing is fused further
  uint64_t seed = 0x5eed0f1e55;
  std::stop_token cancel;
};

struct InexactVerdict {
  bool reals_equal = false;
  // "proved", with the domain and the identities used; "refuted", with the point and both values; or "unknown", with
  // the reason. The first word is always one of these three.
  std::string reals;
  // The bound for the replacement, for inputs that are 0 or have a magnitude of 2^-8 to 2^8 (ErrorBoundInUlp).
  std::optional<double> ulp_bound;
  // The measured errors. The maxima include the inputs found by ClimbToHardInputs. Unset for Booleans, or if
  // reals_equal is false.
  std::optional<double> ulp_before_max, ulp_before_median, ulp_after_max, ulp_after_median;
  // SpecialTable, followed by the numbers of lost inputs if they are not 0. Empty if reals_equal is false.
  std::vector<std::pair<std::string, std::string>> special;
  // The numbers of sampled inputs at which a side is not finite, is nonzero although the exact value is 0, or is a
  // wrong Boolean.
  size_t lost_before = 0, lost_after = 0;
  // The growth of the replacement's error, without and with products fused into sums. The accuracy class follows from
  // the growth that applies to the target. `hardest` is the worst input found, such as "a = 1.5, b = -1.5: 0.4 -> 15953
  // ULP", or empty if the error does not grow at any tried input.
  ErrorGrowth growth_as_written, growth_fused;
  v1::AccuracyClass accuracy = v1::ACCURACY_CLASS_UNSPECIFIED;
  std::string hardest;
  double hardest_growth = 0;  // PointError::Growth at that input
  bool holds = false;
};

// Verifies a case whose search has `~` on some node and that was not proved strictly; ignores the case's denormal mode.
// The caller must ensure that no matched node is `exact`. A constant is the number that its pattern represents at the
// case's size: 0.1 at 32 bits is 13421773 / 2^27, not 1/10. A constant subexpression has its rounded value.
//
// The rule holds if, wherever the search side is defined over the reals, the replacement is defined and equal. In
// addition, enough sampled inputs must be in that domain, and the errors of both sides must have been measured.
// `solver` (Z3, Tactic::kReal) may be null; then only rules that normal forms decide can hold. Fails with
// InvalidArgument if the case cannot be lowered. The verdict is "unknown" if a side has no interpretation over the
// reals.
absl::StatusOr<InexactVerdict> VerifyInexact(const RuleCase& rule_case, Solver* solver,
                                             const InexactOptions& options = {});

bool IsMarkedInexact(const ir::Term& search);

// Returns the description of a target that fuses no products.
Fusing AsWritten(const RuleCase& rule_case);

// Returns the description of a target that fuses products into sums, as `options` specify. `as_written` is the result
// of AsWritten for the case.
Fusing FusingOf(Fusing as_written, const RuleCase& rule_case, const InexactOptions& options);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_INEXACT_INEXACT_H_
