// How far the model's savings and a driver's own agree, rule by rule: their rank correlation, and where they differ
// most.
#ifndef REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_
#define REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/trial/measured_worth.h"

namespace rewrought::pipeline {

// One rule on one driver; above 0: saved.
struct ModelledAndMeasured {
  const MeasuredRule* rule = nullptr;
  double modelled = 0;    // cycles on DriverAgreement::sources, against the tuned baseline; 0 if it is unmet
  double as_applied = 0;  // cycles that the model gives a site on average, times the driver's applications
  // Instructions, alone, in the trial's shaders as the driver has them at the place where it does best with the rule;
  // of no meaning without DriverAgreement::modelled_as.
  double whole_shaders = 0;
  double measured = 0;         // percent of the trial's instructions, alone at the rule's best place
  uint64_t applied = 0;        // times, by the driver
  double rank_difference = 0;  // of DriverAgreement::Compared and `measured`, as a share of all rules; above 0: the
                               // model likes the rule better
};

struct DriverAgreement {
  std::string driver;
  size_t tried = 0, chosen = 0;
  std::vector<std::pair<std::string, std::string>> problems;  // a rule's id, and why it is left out
  std::vector<std::string> sources;                           // that both were summed over; none: all for discovery
  std::vector<std::pair<std::string, std::string>> unmet;     // a rule's id, and its condition (RuleTrial::unmet)
  double spearman = 0;                                        // of modelled and measured (selection::Spearman)
  double spearman_as_applied = 0;     // of as_applied and measured: what of the difference is the price, not the count
  std::string modelled_as;            // the machine whose model whole_shaders is of; empty: the trial did not ask one
  double spearman_whole_shaders = 0;  // of whole_shaders and measured, of the rules that the driver applied
  double spearman_applied_often = 0;  // the same of those that it applied kOften times
  size_t applied = 0, applied_often = 0;   // how many these are
  std::vector<ModelledAndMeasured> rules;  // the largest rank difference first

  // What the rule saves by the model that is compared rule by rule, of whole shaders if it was asked; and its unit.
  double Compared(const ModelledAndMeasured& rule) const {
    return modelled_as.empty() ? rule.modelled : rule.whole_shaders;
  }
  const char* compared_unit() const { return modelled_as.empty() ? "cycles" : "instructions"; }
};

// Fewer applications leave it to chance in which shader one instruction more or less is counted.
inline constexpr uint64_t kOften = 10;

// By driver. `rules` must outlive the result. Rules with a problem are counted and named, not compared. The model's
// savings are those on the sources on which `trials` say that the driver was tried, where the corpus has such sources:
// savings on other shaders say nothing of these. Where the driver never meets a rule's condition they are none.
std::vector<DriverAgreement> AgreementOf(const std::vector<MeasuredRule>& rules,
                                         const std::vector<v1::DriverTrial>& trials);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TRIAL_AGREEMENT_H_
