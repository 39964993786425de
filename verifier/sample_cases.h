// Cases for tests, from rules as text.
#ifndef REWROUGHT_VERIFIER_SAMPLE_CASES_H_
#define REWROUGHT_VERIFIER_SAMPLE_CASES_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "verifier/prover.h"
#include "verifier/rule_case.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {

// The first case of `rule` whose width is `width` (0: the first of all), the replacement built as Mesa does.
// Fails the test if there is none.
RuleCase CaseOf(absl::string_view rule, int width, ir::DenormMode mode);

// Z3 workers, shared by a program's tests and never ended.
Solver* SharedPool();

// Options under which neither vectors nor exhaustive search find anything: solvers have to answer.
ProverOptions SolversOnly();

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_SAMPLE_CASES_H_
