// Finds the sets of assumptions that a rule may make at the sites of a fragment, in the order in which to try them.
#ifndef REWROUGHT_RULES_SITE_ASSUMPTIONS_H_
#define REWROUGHT_RULES_SITE_ASSUMPTIONS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "ir/facts/assumptions.h"
#include "ir/facts/value_facts.h"
#include "ir/term.h"

namespace rewrought::rules {

// The most frequent flags of a fragment's sites, and the facts of the sites with these flags.
struct SiteProfile {
  uint64_t node_flags = 0;
  std::vector<ir::ValueFacts> facts;  // In the order of the variables.
  std::set<uint64_t> multi_use;       // The sets of intermediates that have other users; empty if unknown.
  std::set<size_t> shared;            // The variables that some site shares with other chains (ValueFacts::chains).
};

// Returns sets of assumptions for a search side that has no flags. The first set is empty. The following sets contain
// the flags of one, two, or three kinds that the sites grant to float ops. The last set contains all these flags and
// the strongest predicate that the facts of each variable grant.
std::vector<ir::AssumptionSet> AssumptionsOfSites(const ir::Term& search, const SiteProfile& sites);

// Returns sets that contain the flags of one, two, or three kinds on all float ops, even if no site grants them.
std::vector<ir::AssumptionSet> FlagsOfAnySite(const ir::Term& search);

// Returns steps that weaken a set from AssumptionsOfSites. For each variable, they first try no predicate and then
// weaker ones; the steps of ir::WithoutFlags follow.
std::vector<ir::Weakening> WeakerAtSites(const ir::Term& search, const SiteProfile& sites);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SITE_ASSUMPTIONS_H_
