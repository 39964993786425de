// What a driver gains from a machine's rules, as trials have measured it: the sets, source by source and rule by rule,
// the driver's code without and with single rules, and how far the model agrees.
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
  v1::DriverTrial trial;  // of the rules together; without figures if it was kept without
  DriverAgreement agreement;
  std::vector<RuleGain> gains;  // instructions saved falling; without those that are left out for a problem
};

// By driver. `rules` must outlive the result.
std::vector<DriverReport> DriverReportsOf(const std::vector<MeasuredRule>& rules,
                                          const std::vector<v1::DriverTrial>& trials);

// The figures of one set on one split, all sources and stages together.
v1::DriverTrial::Figures SumOf(const v1::DriverTrial& trial, const std::string& set, bool held_out);

// The same by source, its stages together, or by stage, of all sources; under "" what does not say.
enum class FiguresBy { kSource, kStage };
std::map<std::string, v1::DriverTrial::Figures> SumsBy(FiguresBy by, const v1::DriverTrial& trial,
                                                       const std::string& set, bool held_out);

// On which sources the model and the driver are compared, for people.
std::string SourcesOf(const DriverAgreement& agreement);

// How well the model of whole shaders orders the rules, for people; empty: the trial did not ask it.
std::string WholeShadersText(const DriverAgreement& agreement);

// The conditions that no shader of the driver's trial met, with how many rules need each, most first.
std::vector<std::pair<std::string, size_t>> UnmetOf(const DriverAgreement& agreement);

// The gains whose trials show code, from either end: what gains most first, then what hurts most first.
struct Examples {
  std::vector<const RuleGain*> best, worst;
};
Examples ExamplesOf(const DriverReport& driver, size_t most_best, size_t most_worst);

// For a terminal: the code of few rules, and of these only what is around a change.
std::string DriverText(const DriverReport& driver);

// A part of the report's page.
std::string DriverHtml(const DriverReport& driver);

// How many of a driver's rules are named: where it and the model differ most.
inline constexpr size_t kMostDisagreements = 10;

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_REPORT_DRIVER_REPORT_H_
