// Compares the savings of rules in the cost model with their savings in a driver: computes the rank correlation and
// finds the largest differences.
#ifndef REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_
#define REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/trial/measured_worth.h"

namespace rewrought::pipeline {

// The savings of one rule on one driver; positive numbers are savings.
struct ModelledAndMeasured {
  const MeasuredRule* rule = nullptr;
  double modelled = 0;    // cycles on DriverAgreement::sources; 0 if no shader meets the condition
  double as_applied = 0;  // average cycles per site in the model, times `applied`
  // Instructions that the rule alone saves in the driver's whole shaders according to the model, at the place where the
  // driver gains most. Valid only if DriverAgreement::modelled_as is set.
  double whole_shaders = 0;
  double measured = 0;               // percentage of the trial's time that the rule alone saves at its best place
  double measured_instructions = 0;  // the same for instructions, at the same place
  uint64_t applied = 0;              // the number of times the driver applied the rule
  // The rule's rank by DriverAgreement::Compared minus its rank by `measured`, as a share of the number of rules.
  // Positive if the model ranks the rule higher.
  double rank_difference = 0;
};

struct DriverAgreement {
  std::string driver;
  size_t tried = 0, chosen = 0;
  std::vector<std::pair<std::string, std::string>> problems;  // a rule's id and the reason why the rule is omitted
  std::vector<std::string> sources;                           // the sources compared; if empty, all discovery sources
  std::vector<std::pair<std::string, std::string>> unmet;     // a rule's id and its condition (RuleTrial::unmet)
  double spearman = 0;               // the correlation of `modelled` and `measured` (selection::Spearman)
  double spearman_instructions = 0;  // the same for `measured_instructions`
  double spearman_as_applied = 0;    // the same for `as_applied`, to exclude errors in the number of applications
  std::string modelled_as;           // the machine whose model computed `whole_shaders`; empty if none
  // The correlations of `whole_shaders` with `measured` and with `measured_instructions`, over the rules that the
  // driver applied, and over the rules that it applied at least kOften times.
  double spearman_whole_shaders = 0, spearman_applied_often = 0;
  double spearman_whole_shaders_instructions = 0, spearman_applied_often_instructions = 0;
  size_t applied = 0, applied_often = 0;   // the number of rules in each of these two groups
  std::vector<ModelledAndMeasured> rules;  // largest absolute rank difference first

  // Return the rule's savings in the model that is compared with the driver, and their unit. The model is the
  // whole-shader model if the trial used it.
  double Compared(const ModelledAndMeasured& rule) const {
    return modelled_as.empty() ? rule.modelled : rule.whole_shaders;
  }
  const char* compared_unit() const { return modelled_as.empty() ? "cycles" : "instructions"; }
};

// With fewer applications, the measurement is mostly noise, because each single instruction matters.
inline constexpr uint64_t kOften = 10;

// Returns one agreement per driver. `rules` must outlive the result. Rules with a problem are counted and named, but
// not compared. The model's savings are summed over the sources on which the driver was tried according to `trials`, if
// the corpus has such sources, because savings in other shaders predict nothing. The savings count as zero if no shader
// of the trial meets the rule's condition.
std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules,
                                         const std::vector<v1::DriverTrial>& trials);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_
