// Reports a driver's gains from a machine's rules in trials: the rule sets by source, single rules, the driver's code
// with and without single rules, and the agreement with the model.
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

// The gain of one rule on one driver.
struct RuleGain {
  const MeasuredRule* rule = nullptr;
  const v1::RuleTrial* trial = nullptr;
  MeasuredWorth worth;  // WorthOf the trial
};

struct DriverReport {
  v1::DriverTrial trial;  // of all rules together; without figures if none were stored
  DriverAgreement agreement;
  std::vector<RuleGain> gains;  // by instructions saved, most first; without rules omitted because of a problem
};

// Returns one report per driver, sorted by name. `rules` must outlive the result.
std::vector<DriverReport> DriverReportsOf(const std::vector<MeasuredRule>& rules,
                                          const std::vector<v1::DriverTrial>& trials);

// Returns the sum of a set's figures on one split over all sources and stages.
v1::DriverTrial::Figures SumOf(const v1::DriverTrial& trial, const std::string& set, bool held_out);

// Like SumOf, but separate for each source or each stage. Figures without a source or stage are under "".
enum class FiguresBy { kSource, kStage };
std::map<std::string, v1::DriverTrial::Figures> SumsBy(FiguresBy by, const v1::DriverTrial& trial,
                                                       const std::string& set, bool held_out);

// Describes the sources on which the model and the driver are compared.
std::string SourcesOf(const DriverAgreement& agreement);

// Describes how well the model of whole shaders ranks the rules. Returns "" if the trial did not use that model.
std::string WholeShadersText(const DriverAgreement& agreement);

// Returns the conditions that no shader of the trial met, with the number of rules that require each, most first.
std::vector<std::pair<std::string, size_t>> UnmetOf(const DriverAgreement& agreement);

// The rules whose trials contain code: the largest gains and the largest losses, each sorted by size.
struct Examples {
  std::vector<const RuleGain*> best, worst;
};
Examples ExamplesOf(const DriverReport& driver, size_t most_best, size_t most_worst);

// Returns the report for a terminal, with code around the changes of a few rules.
std::string DriverText(const DriverReport& driver);

// Returns the driver's part of the HTML report.
std::string DriverHtml(const DriverReport& driver);

// The number of rules to name for which the driver and the model differ most.
inline constexpr size_t kMostDisagreements = 10;

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_
