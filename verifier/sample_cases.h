// Cases for tests.
#ifndef REWROUGHT_VERIFIER_SAMPLE_CASES_H_
#define REWROUGHT_VERIFIER_SAMPLE_CASES_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "verifier/prover.h"
#include "verifier/rule_case.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {

// Returns the first case of `rule` whose width is `width`, or its first case if `width` is 0. The replacement is built
// as Mesa builds it, and the case trusts the range analysis. Fails the test if there is no such case.
RuleCase CaseOf(absl::string_view rule, int width, ir::DenormMode mode);

// Returns Z3 workers that all tests of the program share and that are never stopped.
Solver* SharedPool();

// Returns options under which neither vectors nor exhaustive search finds anything, so that solvers must decide.
ProverOptions SolversOnly();

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SAMPLE_CASES_H_
