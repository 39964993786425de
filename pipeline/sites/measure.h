// What rules save on the stored corpus: every site that permits a rule, against both baselines, by split; and the
// ranking.
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
  std::function<void(uint64_t fragments)> progress;  // fragments looked at, now and then
};

struct MeasureReport {
  bool unchanged = false;  // what is stored was measured by this program of the same rules and corpus: nothing was done
  uint64_t rules = 0;
  uint64_t fragments = 0;  // looked at, both splits
  uint64_t matched = 0;    // that some rule matches, flags and facts aside
};

// Measures all rules of `machine` anew and stores measurements and hits; rules without a hit get zeros. A site is a
// fragment that a rule's search matches as a whole, under the site's own flags and facts. Saved there: the cost of base
// selection for the fragment, less that of the rule's program and of base selection for multi-use intermediates,
// times the site's count with loops weighted. Nothing is done where it would store what is stored (done_before.h).
// Cancelled: stopped; nothing is stored. Else the store's errors.
absl::StatusOr<MeasureReport> MeasureRules(store::Store* store, const machine::Machine& machine,
                                           const MeasureOptions& options);

struct RankedRule {
  store::RuleRecord rule;
  store::MeasurementRecord discovery, held_out;
  bool beats_tuned_baseline = false;  // saves cycles against tuned baseline selection, on both splits together
};

// The rules of a machine, best first: those that save against the tuned baseline, by the number of sources with a hit,
// then cycles saved against the tuned baseline, then against one instruction per op, then id. Lost and refuted rules
// are left out.
absl::StatusOr<std::vector<RankedRule>> RankRules(store::Store* store, const std::string& machine);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_SITES_MEASURE_H_
