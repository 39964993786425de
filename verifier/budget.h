// The budgets of queries. A budget is the work that a solver does in a given number of milliseconds on an idle core.
// Solvers count work in their own units, so verdicts do not depend on the machine's load. Clocks catch only the work
// that the counters miss.
#ifndef REWROUGHT_VERIFIER_BUDGET_H_
#define REWROUGHT_VERIFIER_BUDGET_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// Work per query. The arrays are indexed by the case's width class (at most 16 bits, 32, 64). `whole_case` limits all
// tiers of a case together (0 for no limit). Queries over the integers succeed quickly or not at all.
struct QueryBudgets {
  uint32_t uninterpreted[3] = {1000, 2000, 4000};
  uint32_t native[3] = {1000, 2000, 5000};
  uint32_t confirming = 5000;
  uint32_t whole_case = 0;
  uint32_t integers = 500;
};

// Budgets for a search. With thousands of candidates, trying the next ones pays off more than finishing a slow one. In
// one run, only 1 of 314 proofs needed more work than these budgets allow. Of the 34 unknown cases, the 12 that
// exceeded them took most of the time.
inline constexpr QueryBudgets kSearchBudgets = {{300, 500, 1000}, {400, 800, 1500}, 5000, 1500};
// The whole-case budget of a rule whose sides are equal over the reals. Such rules accounted for half of the work spent
// on undecided cases.
inline constexpr uint32_t kQuickCaseWork = 400;
// The whole-case budget of an audit. Without it, an audit of Mesa 26.2 spends most of its time on undecided rules.
inline constexpr uint32_t kAuditCaseWork = 8000;
// The budget of each solver's query when a rule is stored. The proof has already succeeded with a smaller budget.
inline constexpr uint32_t kStoreWork = 3000;
// The budget at the end of a run for a rule that no second solver has confirmed.
inline constexpr uint32_t kConfirmAgainWork = 20000;
// The budget for verifying a rule from a file or from a pack of another origin.
inline constexpr uint32_t kVerificationWork = 20000;
// The budgets of a query over the reals, for rules that normal forms do not decide: outside and inside a search.
inline constexpr uint32_t kRealsWork = 3000, kSearchRealsWork = 1000;

// Relates a solver's work counter to time on an idle core (docs/proof.md 2).
struct Counting {
  // Close to the highest rate observed, so the units suffice for any query that needs at most its budget in
  // milliseconds.
  double units_per_ms = 0;
  uint32_t processor_factor = 0;  // a query may use its budget times this factor in processor time
};
Counting CountingOfZ3(Tactic tactic);
// Returns how cvc5's work counter relates to time for the query `text`. cvc5 counts hardly any of the work of its SAT
// solver, which dominates queries with floats.
Counting CountingOfCvc5(absl::string_view text);

// The limits that end a query, with the reasons "budget" (units), "budget (processor)" (processor time) and "time"
// (wall clock).
struct QueryLimits {
  uint64_t units = 0;
  uint64_t processor_ms = 0;
  uint64_t wall_ms = 0;  // the query's timeout_ms, or enough time for a lowest-priority process

  bool operator==(const QueryLimits&) const = default;
};
// Returns the query's budget in milliseconds: `work_ms` if set, else `timeout_ms` if set, else the default.
uint32_t WorkOf(const SolverQuery& query);
QueryLimits LimitsOf(const SolverQuery& query, const Counting& counting);

// The reasons for kUnknown if a query exceeds its limit on counted work, on processor time (because the counter missed
// most of the work), or on wall time.
inline constexpr char kOutOfBudget[] = "budget", kOutOfProcessor[] = "budget (processor)", kOutOfTime[] = "time";

// Returns whether the reason of a kUnknown answer, for one query or for several tiers, includes a timeout, a
// cancellation, or the failure of a worker. A retry may decide such a case, so the answer must not be stored as final.
bool IsRetryable(absl::string_view reason);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_BUDGET_H_
