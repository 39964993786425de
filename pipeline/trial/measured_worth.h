// What drivers were measured to gain from a rule, as one figure: how rules are ranked by trials.
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

// What one driver gains from a rule, in percent of the instructions and cycles of all programs of its trial; above 0:
// saved.
struct MeasuredWorth {
  double instructions = 0;  // where it is chosen: beside the others; else alone, at its best place
  double cycles = 0;
  bool chosen = false;
  uint64_t applied = 0;  // times that the driver does it, alone; of WorthAlone
  std::string place;     // of the form that saves most; of WorthAlone, empty where the rule was nowhere applied
};

MeasuredWorth WorthOf(const v1::RuleTrial& trial);

// The same of the rule alone, each of its forms at the place where it saves most instructions; zeros where it was
// nowhere applied.
MeasuredWorth WorthAlone(const v1::RuleTrial& trial);

struct MeasuredRule {
  RankedRule row;
  std::vector<v1::RuleTrial> trials;            // by driver
  std::map<std::string, double> source_cycles;  // that the model saves, by source; a report fills it in
};

// The rules that were tried on a driver (`driver`; empty: on any), best first: those that a driver has chosen, by the
// instructions that all drivers gain; then the others. Rules that were never tried are left out. The store's errors.
absl::StatusOr<std::vector<MeasuredRule>> RankByTrials(store::Store* store, std::vector<RankedRule> ranked,
                                                       const std::string& driver);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_MEASURED_WORTH_H_
