// Compares the model's savings with a driver's own savings, rule by rule: their rank correlation, and the largest
// differences.
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
  double modelled = 0;    // cycles on DriverAgreement::sources, against the tuned baseline; 0 if the condition is unmet
  double as_applied = 0;  // the model's average cycles per site, times the driver's applications
  // Instructions saved by the rule alone in the driver's whole shaders, at the place where the driver gains most.
  // Valid only if DriverAgreement::modelled_as is set.
  double whole_shaders = 0;
  double measured = 0;   // percent of the trial's instructions, for the rule alone at its best place
  uint64_t applied = 0;  // by the driver
  // Of DriverAgreement::Compared and `measured`, as a share of all rules; positive if the model ranks the rule higher.
  double rank_difference = 0;
};

struct DriverAgreement {
  std::string driver;
  size_t tried = 0, chosen = 0;
  std::vector<std::pair<std::string, std::string>> problems;  // a rule's id, and why it is omitted
  std::vector<std::string> sources;                        // over which both are summed; empty: all discovery sources
  std::vector<std::pair<std::string, std::string>> unmet;  // a rule's id and its condition (RuleTrial::unmet)
  double spearman = 0;                                     // of `modelled` and `measured` (selection::Spearman)
  double spearman_as_applied = 0;     // of `as_applied` and `measured`: without errors in the number of applications
  std::string modelled_as;            // the machine whose model gave whole_shaders; empty if the trial used none
  double spearman_whole_shaders = 0;  // of `whole_shaders` and `measured`, over the rules that the driver applied
  double spearman_applied_often = 0;  // the same, over rules applied at least kOften times
  size_t applied = 0, applied_often = 0;   // the numbers of these rules
  std::vector<ModelledAndMeasured> rules;  // sorted by rank difference, largest first

  // The rule's savings by the model that is compared, for whole shaders if the trial used that model, and their unit.
  double Compared(const ModelledAndMeasured& rule) const {
    return modelled_as.empty() ? rule.modelled : rule.whole_shaders;
  }
  const char* compared_unit() const { return modelled_as.empty() ? "cycles" : "instructions"; }
};

// With fewer applications, a single instruction more or less makes the measurement random.
inline constexpr uint64_t kOften = 10;

// Returns one agreement per driver. `rules` must outlive the result. Counts and names rules with a problem, but does
// not compare them. Sums the model's savings over the sources on which the driver was tried according to `trials`, if
// the corpus has such sources, because savings on other shaders predict nothing. Counts savings as zero if the driver
// never meets a rule's condition.
std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules,
                                         const std::vector<v1::DriverTrial>& trials);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_
