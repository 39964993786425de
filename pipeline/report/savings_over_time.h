// Computes the savings of the rules found by each point in time, to judge whether a run is worth continuing.
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
  double seconds = 0;                  // of all runs, one after the other
  size_t rules = 0;                    // found by then
  double discovery = 0, held_out = 0;  // cycles saved against tuned baseline selection; losses count as zero
};

// Returns one step per rule by time, and a last step at the end of all runs. `runs` may be in any order. Rules of
// other runs count as found at once. Returns no steps without rules or runs.
std::vector<SavingsAt> SavingsOverTime(absl::Span<const RankedRule> rules, std::vector<store::RunRecord> runs);

// Returns the runs with statistics for the machine with this id, newest first, or store errors.
absl::StatusOr<std::vector<store::RunRecord>> RunsAbout(store::Store* store, const std::string& machine);

// Computes SavingsOverTime of everything stored for the machine with this id. Returns store errors.
absl::StatusOr<std::vector<SavingsAt>> SavingsOfMachine(store::Store* store, const std::string& machine);

// Returns at most `most` steps for a plot, spread evenly over time, with the last one.
std::vector<SavingsAt> ThinnedSteps(const std::vector<SavingsAt>& steps, size_t most);

// Returns lines "    5 min   41 rules   83 % of the savings on discovery sources,   78 % on held-out sources" at 1,
// 2, 5, 10, 20, 50, … minutes and at the end, or "" without steps.
std::string SavingsText(absl::Span<const SavingsAt> steps);

// Returns the steps as an HTML plot.
std::string SavingsHtml(absl::Span<const SavingsAt> steps);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_SAVINGS_OVER_TIME_H_
