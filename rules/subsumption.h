// Which rules of a machine the others make needless: what they give at a rule's own search side costs no more.
#ifndef REWROUGHT_RULES_SUBSUMPTION_H_
#define REWROUGHT_RULES_SUBSUMPTION_H_

#include <vector>

#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/machine.h"

namespace rewrought::rules {

struct SubsumptionRule {
  machine::Candidate candidate;
  bool strict = true;  // equal bit for bit; else over the reals only
};

// By rule: whether the others and `baseline` give as much as cheaply, those that are left out already aside. The
// largest search side comes first. What is equal over the reals only does not make a strict rule needless; rules about
// one search side (a program and its NIR form) do not each other. A rule whose right side has no cost, and one that
// shares (rules/sharing.h), is kept, and gives nothing.
std::vector<bool> Subsumed(const machine::Machine& machine, const std::vector<SubsumptionRule>& rules,
                           machine::BaseKind baseline = machine::BaseKind::kTuned);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SUBSUMPTION_H_
