// Reports a driver's gains from a machine's rules in trials: by set of rules, by source, and by rule, with examples of
// the driver's code and a comparison with the cost model.
#ifndef REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_
#define REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/trial/agreement.h"
#include "pipeline/trial/measured_worth.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::pipeline {

// The gain of one driver from one rule.
struct RuleGain {
  const MeasuredRule* rule = nullptr;
  const v1::RuleTrial* trial = nullptr;
  MeasuredWorth worth;  // the result of WorthOf for the trial
};

struct DriverReport {
  v1::DriverTrial trial;  // the trial of all rules together; has no figures if none were stored
  DriverAgreement agreement;
  std::vector<RuleGain> gains;  // gains from all rules without a problem, in descending order of the time saved
};

// The name of the estimate of time among the numbers of a driver (tools/driver_rig/estimate.py).
inline constexpr char kTime[] = "time";

// Returns one report per driver, sorted by name. `rules` must outlive the result.
std::vector<DriverReport> DriverReportsOf(const std::vector<MeasuredRule>& rules,
                                          const std::vector<v1::DriverTrial>& trials);

// Returns a sentence that states how time is estimated, or that the trial is of an older version and has no estimate.
// Returns "" if there are no figures.
std::string TimeText(const v1::DriverTrial& trial);

// Returns the figures of a set of rules on one split, summed over all sources and stages.
v1::DriverTrial::Figures SumOf(const v1::DriverTrial& trial, const std::string& set, bool held_out);

// Returns the number with this name, or an empty one if the figures do not have it.
v1::DriverNumber NumberOf(const v1::DriverTrial::Figures& figures, const std::string& name);

// Returns the change in percent, or 0 if the number was 0 before.
double Percent(const v1::DriverNumber& number);

// Returns whether the number got worse in total.
bool IsWorse(const v1::DriverNumber& number);

// Returns the figures of a set of rules on one split, by source or by stage. The key is "" if the trial does not state
// one.
enum class FiguresBy { kSource, kStage };
std::map<std::string, v1::DriverTrial::Figures> SumsBy(FiguresBy by, const v1::DriverTrial& trial,
                                                       const std::string& set, bool held_out);

// Returns the names of the sources on which the model and the driver are compared.
std::string SourcesOf(const DriverAgreement& agreement);

// Returns a sentence on how well the whole-shader model ranks the rules, or "" if the trial did not use this model.
std::string WholeShadersText(const DriverAgreement& agreement);

// Returns the rules that save instructions but no time, in descending order of the instructions saved.
std::vector<const RuleGain*> WithoutTime(const DriverReport& driver);

// Returns the reason why a rule that saves instructions saves no time, such as "time +5, non-nops -30 at late; worse:
// nops +20".
std::string NoTimeText(const v1::DriverTrial& trial, const v1::RuleTrial::NoTime& no_time);

// Returns the name of the number that an example compares.
std::string NumberName(const v1::DriverTrial& trial, const v1::RuleTrial::Example& example);

// Returns the conditions that no shader of the trial met, each with the number of rules that have it, largest number
// first.
std::vector<std::pair<std::string, size_t>> UnmetOf(const DriverAgreement& agreement);

// The rules with the largest gains and the largest losses among the rules whose trials contain the driver's code.
struct Examples {
  std::vector<const RuleGain*> best, worst;
};
Examples ExamplesOf(const DriverReport& driver, size_t most_best, size_t most_worst);

// Returns the report as text for a terminal. For a few rules, it shows the code around the changes.
std::string DriverText(const DriverReport& driver);

// Returns the report as a part of the HTML report.
std::string DriverHtml(const DriverReport& driver);

// The maximum numbers of rules that a report names: those on which the driver and the model differ most, and those that
// save instructions but no time.
inline constexpr size_t kMostDisagreements = 10, kMostWithoutTime = 20;

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_
