// Determines where a rule applies: matches its search side against stored fragments, and checks the flags and facts of
// a site.
#ifndef REWROUGHT_RULES_SITE_RULE_H_
#define REWROUGHT_RULES_SITE_RULE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/facts/value_facts.h"
#include "ir/match/match.h"
#include "ir/term.h"
#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/cost.h"

namespace rewrought::rules {

// Returns the sorted names of the ops of `term`. A rule can match all of a fragment only if both have the same sorted
// names.
std::string OpMultiset(const ir::Term& term);

class SiteRule {
 public:
  // Compiles the search side of `candidate`. Returns any error of ir::CompiledRule::Compile.
  static absl::StatusOr<SiteRule> Create(machine::Candidate candidate);

  const machine::Candidate& candidate() const { return candidate_; }

  // Returns whether the search side matches all of `fragment`, assuming that flags and facts permit the match.
  // Variables of a program match only variables.
  bool Fits(const ir::Term& fragment) const;

  // Maps the name of each symbol and variable of the rule that matches a constant of `fragment` to this constant. The
  // rule must fit the fragment.
  std::map<std::string, uint64_t> SymbolsIn(const ir::Term& fragment) const;

  // Returns whether the rule applies at a site with the given flags, multi-use intermediates, and facts
  // (corpus::SiteRecord). The rule does not apply if a node that MustHaveNoOtherUser returns has other users.
  bool AppliesAt(const ir::Term& fragment, uint64_t node_flags, uint64_t multi_use, const std::string& facts) const;

 private:
  SiteRule(machine::Candidate candidate, ir::CompiledRule compiled);
  std::optional<ir::Match> Matches(const ir::Term& fragment, const ir::FactCallback& facts) const;

  machine::Candidate candidate_;
  ir::CompiledRule compiled_;
  std::vector<size_t> single_use_;  // positions in Match::ops
};

// The maximum cost of a right side at a site: the cost of the fragment under base selection, minus the cost of
// multi-use intermediates, which must still be computed.
struct SiteBudget {
  double cycles = 0, instructions = 0;
  bool is_whole = true;  // False if some intermediate must still be computed.

  // Returns whether `right_side` costs less than the budget, in cycles or, at equal cycles, in instructions. If
  // `is_whole`, also admits an equal cost.
  bool Admits(const machine::Cost& right_side) const;
};

// Returns the budget of `fragment`, whose ops carry the flags of the site. Returns any error of machine::BaseCost.
absl::StatusOr<SiteBudget> BudgetAt(const machine::Machine& machine, const ir::Term& fragment, uint64_t multi_use,
                                    machine::BaseKind kind = machine::BaseKind::kTuned);

// Returns the result of BudgetAt for each set of multi-use intermediates, or an empty list if base selection does not
// cover the fragment.
std::vector<SiteBudget> BudgetsAt(const machine::Machine& machine, const ir::Term& fragment,
                                  const std::set<uint64_t>& multi_use);

// Returns true if one of `budgets` admits `right_side`, or if there are no budgets.
bool AnyAdmits(const std::vector<SiteBudget>& budgets, const machine::Cost& right_side);

// Cycles and instructions saved at one site.
struct SiteSaving {
  double naive_instructions = 0, naive_cycles = 0, tuned_instructions = 0, tuned_cycles = 0;

  // Returns whether the rule saves cycles, or instructions at equal cycles, compared with the tuned baseline.
  bool Pays() const { return tuned_cycles > 0 || (tuned_cycles == 0 && tuned_instructions > 0); }
};

// Returns the savings that the rule achieves at a site of `fragment`. `symbols` contains the constants that the rule's
// symbols match, the nodes in `multi_use` have other users, and `facts` describes the variables in order. An fsat that
// the rule removes counts as free if the machine can saturate the result of the instruction that computes its operand.
// Returns Unimplemented if base selection does not cover the fragment, or if the machine cannot load a constant in
// `symbols`.
absl::StatusOr<SiteSaving> SavingAt(const machine::Candidate& rule, const ir::Term& fragment, uint64_t node_flags,
                                    uint64_t multi_use, const std::vector<ir::ValueFacts>& facts,
                                    const std::map<std::string, uint64_t>& symbols);

// Returns the inner ops of the search side, in prefix order, that must have no other users. If they had other users,
// they would still have to be computed, and the rule would save neither cycles nor, at equal cycles, instructions. Uses
// sample constants for symbols.
std::vector<ir::NodeIndex> MustHaveNoOtherUser(const machine::Candidate& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SITE_RULE_H_
