// Proves or refutes cases of rules by trying the tiers, cheapest first (docs/proof.md 2). A timeout is never a proof,
// and "sat" over uninterpreted floats is never a refutation. A model becomes a witness only after the evaluator has
// replayed it.
#ifndef REWROUGHT_VERIFIER_PROVER_H_
#define REWROUGHT_VERIFIER_PROVER_H_

#include <cstdint>
#include <stop_token>
#include <utility>

#include "absl/strings/string_view.h"
#include "verifier/budget.h"
#include "verifier/rule_case.h"
#include "verifier/solvers.h"
#include "verifier/vectors.h"
#include "verifier/verdict.h"

namespace rewrought::verifier {

// The prefix of the reason of a refuted case whose witness needs flags that the rule does not name.
inline constexpr absl::string_view kOnlyWithRootFlags = "only if the matched root also carries ";

struct ProverOptions {
  QueryBudgets budgets;
  double budget_scale = 1.0;  // multiplies all budgets
  uint32_t timeout_ms = 0;    // wall-clock limit per query, for interactive callers; 0 for none
  int exhaustive_bits = 12;   // maximum bits of inputs and choices to enumerate before solvers are used
  int last_resort_bits = 20;  // maximum bits to enumerate if solvers do not decide
  int max_copies = 64;        // maximum number of copies of the search side; if exceeded, the case stays unknown
  bool confirm = false;       // the confirming solver must confirm every proof
  bool keep_query = true;     // store the query text in certificates
  VectorOptions vectors;
  std::stop_token cancel;

  // Limits every query to `milliseconds` of wall time and sets its budget to the same number. The budgets of queries
  // over uninterpreted functions and over the integers are never raised, because such queries succeed quickly or not at
  // all.
  void LimitQueries(uint32_t milliseconds);
};

class Prover {
 public:
  // Skips the tiers of missing solvers.
  Prover(Solvers solvers, const ProverOptions& options) : solvers_(std::move(solvers)), options_(options) {}

  // Verifies a case. Never fails: a case that cannot be stated is VERDICT_UNSUPPORTED, and an undecided case is
  // VERDICT_UNKNOWN. Thread-safe.
  CaseResult Prove(const RuleCase& rule_case) const;

  // Verifies every way in which nodes of the search can match the same instruction (verifier/mesa/coincidence.h).
  // `distinct` is the proof of the case without coincidences; returns it with the proofs for these ways, or an unproved
  // result.
  CaseResult ProveCoincidences(const RuleCase& rule_case, CaseResult distinct) const;

  // Sends the query of `result`'s proof to the confirming solver instead of proving the case again. If the answer is
  // unsat, adds the solver to confirmed_by; if it is sat, sets the verdict to VERDICT_UNKNOWN. Otherwise, or if the
  // proof has no query, changes nothing.
  void Confirm(CaseResult* result) const;

  const ProverOptions& options() const { return options_; }
  const Solvers& solvers() const { return solvers_; }

 private:
  // Verifies the case as if all nodes of the search were distinct instructions.
  CaseResult ProveOne(const RuleCase& rule_case) const;
  // Replaces the witness with one in which the matched root has only the flags that the rule names. If there is no such
  // witness, states which other flags the witness needs.
  CaseResult ExplainRootFlags(const RuleCase& rule_case, CaseResult refuted) const;
  const Solvers solvers_;
  const ProverOptions options_;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_PROVER_H_
