// Where a rule fits: its search side against stored fragments, and whether a site's flags and facts permit it there.
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

// The names of the op nodes, sorted: equal for a rule and a fragment that it matches as a whole.
std::string OpMultiset(const ir::Term& term);

class SiteRule {
 public:
  // Errors of ir::CompiledRule::Compile.
  static absl::StatusOr<SiteRule> Create(machine::Candidate candidate);

  const machine::Candidate& candidate() const { return candidate_; }

  // Whether the search matches all of `fragment`, each variable one of the fragment's, if flags and facts allow.
  bool Fits(const ir::Term& fragment) const;

  // The constants of `fragment`, which the rule fits, that stand for its symbols, by name.
  std::map<std::string, uint64_t> SymbolsIn(const ir::Term& fragment) const;

  // Whether it does under a site's flags, multi-use intermediates and facts (corpus::SiteRecord): a pack's rule is not
  // applied where a node of MustHaveNoOtherUser has other users.
  bool AppliesAt(const ir::Term& fragment, uint64_t node_flags, uint64_t multi_use, const std::string& facts) const;

 private:
  SiteRule(machine::Candidate candidate, ir::CompiledRule compiled);
  std::optional<ir::Match> Matches(const ir::Term& fragment, const ir::FactCallback& facts) const;

  machine::Candidate candidate_;
  ir::CompiledRule compiled_;
  std::vector<size_t> single_use_;  // places in Match::ops
};

// What a right side may cost at one site: what base selection gives the fragment, less what it gives the multi-use
// intermediates, which are needed beside the right side.
struct SiteBudget {
  double cycles = 0, instructions = 0;
  bool is_whole = true;  // nothing is needed beside

  // Whether `right_side` costs less cycles, or less instructions at equal cycles, or the same where the budget is
  // whole.
  bool Admits(const machine::Cost& right_side) const;
};

// Of `fragment` with the flags of the site. Errors of machine::BaseCost.
absl::StatusOr<SiteBudget> BudgetAt(const machine::Machine& machine, const ir::Term& fragment, uint64_t multi_use,
                                    machine::BaseKind kind = machine::BaseKind::kTuned);

// BudgetAt for each set of multi-use intermediates. None where one is unknown: what base selection does not cover is
// verified by itself.
std::vector<SiteBudget> BudgetsAt(const machine::Machine& machine, const ir::Term& fragment,
                                  const std::set<uint64_t>& multi_use);

// Whether one of `budgets` admits `right_side`; without any, every right side is.
bool AnyAdmits(const std::vector<SiteBudget>& budgets, const machine::Cost& right_side);

// Cycles and instructions saved at one site.
struct SiteSaving {
  double naive_instructions = 0, naive_cycles = 0, tuned_instructions = 0, tuned_cycles = 0;

  // Against tuned baseline selection: cycles, or instructions at equal cycles.
  bool Pays() const { return tuned_cycles > 0 || (tuned_cycles == 0 && tuned_instructions > 0); }
};

// What the rule's right side, its symbols bound to `symbols`, saves for `fragment` with `node_flags` where the nodes of
// `multi_use` have other users and `facts` hold of the variables in order (those that are left out: nothing). An fsat
// that the rule takes from what made a variable costs nothing where it is a modifier there. Unimplemented: base
// selection does not cover the fragment, or the machine cannot load a symbol's constant.
absl::StatusOr<SiteSaving> SavingAt(const machine::Candidate& rule, const ir::Term& fragment, uint64_t node_flags,
                                    uint64_t multi_use, const std::vector<ir::ValueFacts>& facts,
                                    const std::map<std::string, uint64_t>& symbols);

// Inner ops of the search, in prefix order, that must die with the match for the rule to save cycles, or instructions
// at equal cycles: where others read one, the replacement is work beside it. Symbols are taken as
// some constants.
std::vector<ir::NodeIndex> MustHaveNoOtherUser(const machine::Candidate& rule);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_SITE_RULE_H_
