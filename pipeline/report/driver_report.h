// A driver's gains from a machine's rules in trials: by set, source and rule, with its code, and compared with the
// model.
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

// One rule on one driver.
struct RuleGain {
  const MeasuredRule* rule = nullptr;
  const v1::RuleTrial* trial = nullptr;
  MeasuredWorth worth;  // WorthOf the trial
};

struct DriverReport {
  v1::DriverTrial trial;  // of all rules together; without figures if none were stored
  DriverAgreement agreement;
  std::vector<RuleGain> gains;  // most instructions saved first; without rules that have a problem
};

// Returns one report per driver, sorted by name. `rules` must outlive the result.
std::vector<DriverReport> DriverReportsOf(const std::vector<MeasuredRule>& rules,
                                          const std::vector<v1::DriverTrial>& trials);

// Returns a set's figures on one split over all sources and stages.
v1::DriverTrial::Figures SumOf(const v1::DriverTrial& trial, const std::string& set, bool held_out);

// Returns the figures by source or by stage; "" if not stated.
enum class FiguresBy { kSource, kStage };
std::map<std::string, v1::DriverTrial::Figures> SumsBy(FiguresBy by, const v1::DriverTrial& trial,
                                                       const std::string& set, bool held_out);

// Names the sources on which the model and the driver are compared.
std::string SourcesOf(const DriverAgreement& agreement);

// States how well the model of whole shaders ranks the rules, or "" if the trial did not use it.
std::string WholeShadersText(const DriverAgreement& agreement);

// Returns the conditions that no shader of the trial met, with their numbers of rules, most first.
std::vector<std::pair<std::string, size_t>> UnmetOf(const DriverAgreement& agreement);

// Rules whose trials contain code: the largest gains and the largest losses.
struct Examples {
  std::vector<const RuleGain*> best, worst;
};
Examples ExamplesOf(const DriverReport& driver, size_t most_best, size_t most_worst);

// For a terminal: code around the changes of a few rules.
std::string DriverText(const DriverReport& driver);

// A part of the HTML report.
std::string DriverHtml(const DriverReport& driver);

// The number of rules named where driver and model differ most.
inline constexpr size_t kMostDisagreements = 10;

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_
