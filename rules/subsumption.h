// Finds rules of a machine that other rules make redundant, because their result for the rule's search side costs no
// more.
#ifndef REWROUGHT_RULES_SUBSUMPTION_H_
#define REWROUGHT_RULES_SUBSUMPTION_H_

#include <vector>

#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/machine.h"

namespace rewrought::rules {

struct SubsumptionRule {
  machine::Candidate candidate;
  bool strict = true;  // equal bit for bit; otherwise only over the reals
};

// Returns, for each rule, whether the other rules that are not redundant and `baseline` give a result that costs no
// more, largest search side first. Inexact rules do not make a strict rule redundant, and rules with the same search
// side (a program and its NIR form) do not affect each other. Rules whose right side has no cost and sharing rules
// (rules/sharing.h) are never redundant and make no rule redundant.
std::vector<bool> Subsumed(const machine::Machine& machine, const std::vector<SubsumptionRule>& rules,
                           machine::BaseKind baseline = machine::BaseKind::kTuned);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SUBSUMPTION_H_
