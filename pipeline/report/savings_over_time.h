// What rules that were found by then save together, over the time that discovery ran: whether a run is worth going on.
#ifndef REWROUGHT_PIPELINE_REPORT_SAVINGS_OVER_TIME_H_
#define REWROUGHT_PIPELINE_REPORT_SAVINGS_OVER_TIME_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "pipeline/sites/measure.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct SavingsAt {
  double seconds = 0;                  // of all runs together, one after the other
  size_t rules = 0;                    // found by then
  double discovery = 0, held_out = 0;  // cycles that these save against tuned baseline selection, where they save any
};

// By time, a step for each rule; the last one is at the end of all runs. `runs` in any order; rules of none of them,
// and runs before the first that found something, count as found at once. Empty: no rule, or no run.
std::vector<SavingsAt> SavingsOverTime(absl::Span<const RankedRule> rules, std::vector<store::RunRecord> runs);

// Runs that say how much was searched for `machine`, an id, newest first. The store's errors.
absl::StatusOr<std::vector<store::RunRecord>> RunsAbout(store::Store* store, const std::string& machine);

// SavingsOverTime of all that is stored for `machine`, an id. The store's errors.
absl::StatusOr<std::vector<SavingsAt>> SavingsOfMachine(store::Store* store, const std::string& machine);

// At most `most` of the steps, spread evenly over time, the last one among them: what a plot can show.
std::vector<SavingsAt> ThinnedSteps(const std::vector<SavingsAt>& steps, size_t most);

// Lines "    5 min   41 rules   83 % of what is saved on discovery sources,   78 % on held-out sources" at 1, 2, 5, 10,
// 20, 50, … minutes and at the end; empty without steps.
std::string SavingsText(absl::Span<const SavingsAt> steps);

// The same as a plot.
std::string SavingsHtml(absl::Span<const SavingsAt> steps);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_SAVINGS_OVER_TIME_H_
