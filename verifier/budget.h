// The budgets of queries, in a single table. They are in milliseconds' worth of work, which solvers count in their own
// units, so that verdicts do not depend on the machine's load. Clocks only catch work that the counters miss.
#ifndef REWROUGHT_VERIFIER_BUDGET_H_
#define REWROUGHT_VERIFIER_BUDGET_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// Work per query, indexed by the case's width class (at most 16 bits, 32, 64) for arrays. `whole_case` limits all tiers
// of a case together (0 for no limit).
struct QueryBudgets {
  uint32_t uninterpreted[3] = {1000, 2000, 4000};
  uint32_t native[3] = {1000, 2000, 5000};
  uint32_t confirming = 5000;
  uint32_t whole_case = 0;
};

// Budgets for a search, which has thousands of candidates. A slow candidate is worth less than the next ones. In one
// run, 1 of 314 proofs took longer than this, and so did 12 of 34 cases that stayed unknown, which used most of the
// time for those cases.
inline constexpr QueryBudgets kSearchBudgets = {{300, 500, 1000}, {400, 800, 1500}, 5000, 1500};
// The whole-case budget of a rule that is equal over the reals. Such rules used half of all work on undecided cases.
inline constexpr uint32_t kQuickCaseWork = 400;
// The work of each solver's query when a rule is stored; the proof has already succeeded with less.
inline constexpr uint32_t kStoreWork = 3000;
// The same at the end of a run, for a rule that no second solver has confirmed.
inline constexpr uint32_t kConfirmAgainWork = 20000;
// The same for verifying a rule from a file or pack of another origin.
inline constexpr uint32_t kVerificationWork = 20000;
// The work for a rule over the reals that normal forms do not decide: on its own, and within a search.
inline constexpr uint32_t kRealsWork = 3000, kSearchRealsWork = 1000;

// The relation of a solver's counter to time on a quiet core (docs/proof.md 2).
struct Counting {
  // Near the highest rate seen, so that a query that takes its budget in milliseconds is decided.
  double units_per_ms = 0;
  uint32_t processor_factor = 0;  // the query ends after its budget times this factor in processor time
};
Counting CountingOfZ3(Tactic tactic);
// `text` is the query's text. cvc5's SAT solver, which dominates float queries, hardly counts.
Counting CountingOfCvc5(absl::string_view text);

// The limits that end a query, with the reasons "budget" (units), "budget (processor)" (processor time) and "time"
// (wall clock).
struct QueryLimits {
  uint64_t units = 0;
  uint64_t processor_ms = 0;
  uint64_t wall_ms = 0;  // the query's timeout_ms, or the maximum time of a lowest-priority process

  bool operator==(const QueryLimits&) const = default;
};
// Returns the query's own budget, or its default.
uint32_t WorkOf(const SolverQuery& query);
QueryLimits LimitsOf(const SolverQuery& query, const Counting& counting);

// The reasons for kUnknown if a query exceeds its counted work, its processor time (because the counter saw too little
// of the work), or its wall time.
inline constexpr char kOutOfBudget[] = "budget", kOutOfProcessor[] = "budget (processor)", kOutOfTime[] = "time";

// Returns whether an unknown's reason, for a query or for several tiers, involves a timeout or an accident. A retry may
// decide such a case, so stored results must not depend on it.
bool IsRetryable(absl::string_view reason);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_BUDGET_H_
