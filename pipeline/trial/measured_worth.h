// Summarizes the gains of drivers from a rule as one number, and ranks rules by this number.
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

// The gain of one driver from a rule, as a percentage of the time and instructions of all programs in the trial. Time
// is the driver's estimate (DriverTrial.time); a trial of an older version has none, so the gain is 0. Positive numbers
// are savings.
struct MeasuredWorth {
  double time = 0;  // if chosen, the gain beyond the other rules' gain; otherwise, the gain from the rule alone
  double instructions = 0;
  bool chosen = false;
  uint64_t applied = 0;  // the number of times the driver applied the rule alone; set by WorthAlone
  std::string place;     // where the form that saves the most was applied, if any; set by WorthAlone
};

MeasuredWorth WorthOf(const v1::RuleTrial& trial);

// Returns whether the first gain is larger: by time and, if the time is the same, by instructions.
bool IsBetter(const MeasuredWorth& x, const MeasuredWorth& y);

// Returns whether the trial is of a version that did not estimate time.
bool IsOfOlderVersion(const v1::RuleTrial& trial);

// Returns the gain from the rule alone if each of its forms is applied at the place where it saves the most (IsBetter),
// or zeros if the rule was never applied.
MeasuredWorth WorthAlone(const v1::RuleTrial& trial);

struct MeasuredRule {
  RankedRule row;
  std::vector<v1::RuleTrial> trials;            // one trial per driver
  std::map<std::string, double> source_cycles;  // saved in the model, by source; set by MakeReport
};

// Returns the rules of `ranked` tried on `driver`, or on any driver if `driver` is empty, best first. Rules chosen for
// a driver come before the others, and both groups are sorted by the time that all drivers save, and then by the
// instructions. Propagates store errors.
absl::StatusOr<std::vector<MeasuredRule>> RankByTrials(store::Store* store, std::vector<RankedRule> ranked,
                                                       const std::string& driver);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_MEASURED_WORTH_H_
