// Measures the savings of rules on the stored corpus, at every site where a rule applies, against both baselines and
// by split. Also ranks the rules.
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
  std::function<void(uint64_t fragments)> progress;  // the number of fragments processed, reported periodically
};

struct MeasureReport {
  bool unchanged = false;  // the stored results come from this program with the same rules and corpus: nothing was done
  uint64_t rules = 0;
  uint64_t fragments = 0;  // processed, both splits
  uint64_t matched = 0;    // matched by some rule, ignoring flags and facts
};

// Measures all rules of `machine` and stores measurements and hits; rules without a hit get zeros. A site counts if
// the rule's search matches its whole fragment under the site's own flags and facts. The saving at a site is the cost
// of base selection for the fragment, minus the cost of the rule's program and of base selection for multi-use
// intermediates, times the site's count weighted by loop depth. Does nothing if the stored results are up to date
// (done_before.h). Returns Cancelled, without storing anything, if stopped, or store errors.
absl::StatusOr<MeasureReport> MeasureRules(store::Store* store, const machine::Machine& machine,
                                           const MeasureOptions& options);

struct RankedRule {
  store::RuleRecord rule;
  store::MeasurementRecord discovery, held_out;
  bool beats_tuned_baseline = false;  // saves cycles against tuned baseline selection, over both splits
};

// Returns the rules of a machine, best first. Rules that save against the tuned baseline come first; they are sorted
// by the number of sources with a hit, the cycles saved against the tuned baseline, those saved against one
// instruction per op, and the id. Lost, refuted and derived rules are omitted.
absl::StatusOr<std::vector<RankedRule>> RankRules(store::Store* store, const std::string& machine);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_MEASURE_H_
