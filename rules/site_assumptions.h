// What the sites of a fragment allow a rule about it to assume, as sets in the order in which they are worth a proof.
#ifndef REWROUGHT_RULES_SITE_ASSUMPTIONS_H_
#define REWROUGHT_RULES_SITE_ASSUMPTIONS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "ir/facts/assumptions.h"
#include "ir/facts/value_facts.h"
#include "ir/term.h"

namespace rewrought::rules {

// What the sites of a fragment have in common: the most frequent flags and the facts of the sites that have them.
struct SiteProfile {
  uint64_t node_flags = 0;
  std::vector<ir::ValueFacts> facts;  // of the variables in order
  std::set<uint64_t> multi_use;       // intermediates with other users, by site; empty: nothing is known
  std::set<size_t> shared;            // variables that some site shares with other chains (ValueFacts::chains)
};

// Of a search side without flags: nothing; one to three kinds of the flags that the sites grant to ops on floats; all
// of these with the strongest predicate that the facts of each variable grant.
std::vector<ir::AssumptionSet> AssumptionsOfSites(const ir::Term& search, const SiteProfile& sites);

// One to three kinds of flags on all ops on floats, whether or not a site grants them.
std::vector<ir::AssumptionSet> FlagsOfAnySite(const ir::Term& search);

// Steps from a set of these to fewer: a weaker predicate of each variable, or none; then ir::WithoutFlags.
std::vector<ir::Weakening> WeakerAtSites(const ir::Term& search, const SiteProfile& sites);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SITE_ASSUMPTIONS_H_
