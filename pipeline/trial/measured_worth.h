// Summarizes a rule's measured gains on drivers as one figure, and ranks rules by it.
#ifndef REWROUGHT_PIPELINE_TRIAL_MEASURED_WORTH_H_
#define REWROUGHT_PIPELINE_TRIAL_MEASURED_WORTH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/sites/measure.h"
#include "proto/rewrought/v1/rule.pb.h"
#include "store/store.h"

namespace rewrought::pipeline {

// The gain of one driver from a rule, in percent of the instructions and cycles of all programs of its trial.
// Positive numbers are savings.
struct MeasuredWorth {
  double instructions = 0;  // in addition to the others if chosen, otherwise alone at the best place
  double cycles = 0;
  bool chosen = false;
  uint64_t applied = 0;  // the driver's applications of the rule alone; set by WorthAlone
  std::string place;     // of the form that saves most; set by WorthAlone, empty if the rule was never applied
};

MeasuredWorth WorthOf(const v1::RuleTrial& trial);

// Returns the gain of the rule alone, with each form at the place where it saves most instructions, or zeros if the
// rule was never applied.
MeasuredWorth WorthAlone(const v1::RuleTrial& trial);

struct MeasuredRule {
  RankedRule row;
  std::vector<v1::RuleTrial> trials;            // one per driver
  std::map<std::string, double> source_cycles;  // saved by the model; filled in by a report
};

// Returns the rules that were tried on `driver`, or on any driver if it is empty, best first: rules that a driver has
// chosen, then the others, each group sorted by the instructions that all drivers gain. Returns store errors.
absl::StatusOr<std::vector<MeasuredRule>> RankByTrials(store::Store* store, std::vector<RankedRule> ranked,
                                                       const std::string& driver);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_MEASURED_WORTH_H_
