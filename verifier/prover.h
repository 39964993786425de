// Proves or refutes cases of rules by tiers, cheapest first (docs/proof.md 2). A timeout is never a proof, "sat" over
// uninterpreted floats never a refutation, and no model is a witness before the evaluator has replayed it.
#ifndef REWROUGHT_VERIFIER_PROVER_H_
#define REWROUGHT_VERIFIER_PROVER_H_

#include <cstdint>
#include <stop_token>
#include <utility>

#include "verifier/budget.h"
#include "verifier/rule_case.h"
#include "verifier/solvers.h"
#include "verifier/vectors.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

struct ProverOptions {
  QueryBudgets budgets;
  double budget_scale = 1.0;  // multiplies all of them
  uint32_t timeout_ms = 0;    // of one query by the clock, for who waits; 0: none
  int exhaustive_bits = 12;   // inputs and choices together, tried before solvers
  int last_resort_bits = 20;  // tried when solvers do not decide
  int max_copies = 64;        // of the search side; beyond that the verdict is unknown
  bool confirm = false;       // have the confirming solver confirm every proof
  bool keep_query = true;     // in certificates
  VectorOptions vectors;
  std::stop_token cancel;

  // Ends every query after `milliseconds` by the clock, with work worth as much; over uninterpreted functions no more
  // than it is, since what those do not prove soon they do not prove.
  void LimitQueries(uint32_t milliseconds);
};

class Prover {
 public:
  // The tiers of a solver that is missing are skipped.
  Prover(Solvers solvers, const ProverOptions& options) : solvers_(std::move(solvers)), options_(options) {}

  // Verifies one case. Never fails: what cannot be stated is kUnsupported, what is not decided kUnknown. Thread-safe.
  CaseResult Prove(const RuleCase& rule_case) const;

  // Has the confirming solver answer the query that `result`'s proof rests on, instead of proving it again. Where that
  // says unsat too, it stands in confirmed_by; where it says sat, the verdict is kUnknown; where it does not decide, or
  // there is no proof by a query, nothing changes.
  void Confirm(CaseResult* result) const;

  const ProverOptions& options() const { return options_; }
  const Solvers& solvers() const { return solvers_; }

 private:
  const Solvers solvers_;
  const ProverOptions options_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_PROVER_H_
