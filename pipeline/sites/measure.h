// Measures the savings of rules at every site of the stored corpus where they apply, relative to both baselines and for
// each split, and ranks the rules.
#ifndef REWROUGHT_PIPELINE_SITES_MEASURE_H_
#define REWROUGHT_PIPELINE_SITES_MEASURE_H_

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/machine.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::pipeline {

struct MeasureOptions {
  std::stop_token stop;
  std::function<void(uint64_t fragments)> progress;  // called periodically with the number of fragments processed
};

struct MeasureReport {
  bool unchanged = false;  // whether nothing was done, because the stored results are up to date
  uint64_t rules = 0;
  uint64_t fragments = 0;  // the number of fragments processed, in both splits
  uint64_t matched = 0;    // the number of fragments that some rule matches, ignoring flags and facts
};

// Measures all rules of `machine` and stores their hits and measurements (zero for a rule without hits). A site is a
// hit if the rule's search side matches the site's whole fragment under its flags and facts. The saving at a site is
// the cost of the fragment under base selection, minus the cost of the rule's replacement and of the multi-use
// intermediates, which must still be computed. This saving is multiplied by the site's count, weighted by loop depth.
// Does nothing if the stored results come from this program with the same rules and corpus (done_before.h). Returns
// Cancelled, without storing anything, if stopped. Propagates store errors.
absl::StatusOr<MeasureReport> MeasureRules(store::Store* store, const machine::Machine& machine,
                                           const MeasureOptions& options);

struct RankedRule {
  store::RuleRecord rule;
  store::MeasurementRecord discovery, held_out;
  bool beats_tuned_baseline = false;  // saves cycles relative to tuned baseline selection, over both splits
};

// Returns the rules of a machine, best first, omitting lost, refuted, and derived rules. Rules that save cycles
// relative to tuned baseline selection come first. Each group is sorted by the number of sources with a hit, the cycles
// saved relative to tuned baseline selection, the cycles saved relative to one instruction per op, and the id.
// Propagates store errors.
absl::StatusOr<std::vector<RankedRule>> RankRules(store::Store* store, const std::string& machine);

// Ranks the given rules, whatever their states are. Propagates store errors.
absl::StatusOr<std::vector<RankedRule>> RankRecords(store::Store* store, std::vector<store::RuleRecord> records);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_MEASURE_H_
