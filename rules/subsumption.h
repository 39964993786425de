// Finds the redundant rules of a machine. A rule is redundant if other rules turn its search side into a term that
// costs no more than its right side.
#ifndef REWROUGHT_RULES_SUBSUMPTION_H_
#define REWROUGHT_RULES_SUBSUMPTION_H_

#include <vector>

#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/machine.h"

namespace rewrought::rules {

struct SubsumptionRule {
  machine::Candidate candidate;
  bool strict = true;  // True if the sides are equal bit for bit, not only over the reals.
};

// Returns, for each rule, whether it is redundant: the other, nonredundant rules rewrite its search side to a term
// that, if selected with `baseline`, costs no more than its right side. Checks rules with larger search sides first.
// Inexact rules do not make a strict rule redundant. Rules that have the same search side (a program and its NIR form)
// do not affect each other. Sharing rules (rules/sharing.h) and rules whose right side has no known cost are never
// redundant, and do not make other rules redundant.
std::vector<bool> Subsumed(const machine::Machine& machine, const std::vector<SubsumptionRule>& rules,
                           machine::BaseKind baseline = machine::BaseKind::kTuned);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SUBSUMPTION_H_
