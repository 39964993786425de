// Computes the savings of the rules found up to each point in time, so that a user can judge whether to continue a run.
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
  double seconds = 0;                  // the time since the first run began, excluding the time between runs
  size_t rules = 0;                    // the number of rules found by then
  double discovery = 0, held_out = 0;  // cycles saved relative to tuned baseline selection; losses count as 0
};

// Returns one step per rule, sorted by discovery time, and a last step at the end of all runs. `runs` may be in any
// order. Rules found in other runs count as found at time 0. Returns no steps if there are no rules or no runs.
std::vector<SavingsAt> SavingsOverTime(absl::Span<const RankedRule> rules, std::vector<store::RunRecord> runs);

// Returns the runs with statistics for the machine with this id, newest first. Propagates store errors.
absl::StatusOr<std::vector<store::RunRecord>> RunsAbout(store::Store* store, const std::string& machine);

// Returns SavingsOverTime for all stored rules and runs of the machine with this id. Propagates store errors.
absl::StatusOr<std::vector<SavingsAt>> SavingsOfMachine(store::Store* store, const std::string& machine);

// Returns the steps for a plot with `most` positions on its time axis: the last step at each position.
std::vector<SavingsAt> ThinnedSteps(const std::vector<SavingsAt>& steps, size_t most);

// Returns text with a line such as "5 min 41 rules 83.0 % of the savings on discovery sources, 78.0 % on held-out
// sources" for each of 1, 2, 5, 10, 20, 50, … minutes and for the end, or "" if there are no steps.
std::string SavingsText(absl::Span<const SavingsAt> steps);

// Returns the steps as an HTML plot.
std::string SavingsHtml(absl::Span<const SavingsAt> steps);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_SAVINGS_OVER_TIME_H_
