// What a query may cost: the one table of budgets. They are stated in milliseconds' worth of work, which solvers count
// in their own units, so that a loaded machine decides what a quiet one does; clocks only catch what counters miss.
#ifndef REWROUGHT_VERIFIER_BUDGET_H_
#define REWROUGHT_VERIFIER_BUDGET_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "verifier/solver.h"

namespace rewrought::verifier {

// Work of one query, by the case's width class (16 bits and less, 32, 64) where there are three; of all tiers of one
// case together (0: no bound).
struct QueryBudgets {
  uint32_t uninterpreted[3] = {1000, 2000, 4000};
  uint32_t native[3] = {1000, 2000, 5000};
  uint32_t confirming = 5000;
  uint32_t whole_case = 0;
};

// Of a search, which has thousands of candidates: what takes longer is worth less than the next ones. Of 314 proofs of
// one run one took longer; of 34 cases that stayed unknown 12 did, and took most of their time.
inline constexpr QueryBudgets kSearchBudgets = {{300, 500, 1000}, {400, 800, 1500}, 5000, 1500};
// Of a form that is equal over the reals, all of its case: half of all work on open cases went into these.
inline constexpr uint32_t kQuickCaseWork = 400;
// Of a query when a rule is kept, by each solver: a second time what was proved in less.
inline constexpr uint32_t kKeepWork = 3000;
// The same at the end of a run, of a rule that no second solver confirmed.
inline constexpr uint32_t kConfirmAgainWork = 20000;
// The same of a rule that somebody else found: whoever did was told to wait for less.
inline constexpr uint32_t kStrangersWork = 20000;
// Of a form over the reals that normal forms do not decide: when it is looked at by itself, and in a search.
inline constexpr uint32_t kRealsWork = 3000, kSearchRealsWork = 1000;

// How a solver's counter relates to a quiet core (docs/proof.md 2).
struct Counting {
  double units_per_ms = 0;  // nearly the highest seen, so that what takes so many milliseconds is decided in budget
  uint32_t processor_factor = 0;  // times the budget in processor time, and the query ends, whatever the counter says
};
Counting CountingOfZ3(Tactic tactic);
// `text`: of the query; cvc5's SAT solver hardly counts, and floats are mostly that.
Counting CountingOfCvc5(absl::string_view text);

// Where a query ends: at the units in "budget", at the processor time in "budget (processor)", at the clock's in
// "time".
struct QueryLimits {
  uint64_t units = 0;
  uint64_t processor_ms = 0;
  uint64_t wall_ms = 0;  // the query's timeout_ms, or as long as a process of lowest priority may take

  bool operator==(const QueryLimits&) const = default;
};
// The query's own, or what stands for it.
uint32_t WorkOf(const SolverQuery& query);
QueryLimits LimitsOf(const SolverQuery& query, const Counting& counting);

// Why a query is kUnknown: its work was done by the counter, or by the processor time of one whose counter saw too
// little of it, or its time was over.
inline constexpr char kOutOfBudget[] = "budget", kOutOfProcessor[] = "budget (processor)", kOutOfTime[] = "time";

// Whether an unknown's reason, of one query or of several tiers, has its time or an accident in it: asked again it may
// be decided, so nothing that is kept may rest on it.
bool MayBeDecidedAgain(absl::string_view reason);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_BUDGET_H_
