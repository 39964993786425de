// Finds rules of different files that undo each other, so that the passes of these files would rewrite a shader back
// and forth.
#ifndef REWROUGHT_RULES_UNDOING_H_
#define REWROUGHT_RULES_UNDOING_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/match/match.h"

namespace rewrought::rules {

// The maximum number of steps in a cycle of three or more rules.
inline constexpr size_t kStepsOfCycle = 8;
// The maximum number of terms that are explored from one term. If more can be reached, cycles of three or more rules
// may be missed.
inline constexpr size_t kTermsOfCycle = 500;

struct ListedRule {
  size_t list = 0, rule = 0;

  friend bool operator==(const ListedRule&, const ListedRule&) = default;
};

struct UndoingRules {
  std::vector<ListedRule> rules;   // Rules of at least two lists, without repetitions.
  std::vector<std::string> terms;  // The cycle, from a term back to itself.
};

struct Undoing {
  std::vector<UndoingRules> cycles;  // Pairs first, then cycles of three or more rules.
  size_t cut = 0;                    // The number of rules from which more than kTermsOfCycle terms are reached.
};

// Finds all pairs of rules of different lists that undo each other, where at least one of the two is from the first
// `own` lists. Each list contains the rules of one file. Pairs are ordered by list and rule. Then finds, for each rule
// of the first `own` lists, a shortest cycle of three or more rules that rewrites the rule's search side to itself.
// Skips cycles that contain a pair or cycle already found. The search for pairs starts from the search side at up to
// four size assignments and uses only the two rules. The search for cycles uses all rules, within the bounds above.
// Treats predicates and conditions as rules/term_steps.h does, so the conditions of a reported cycle may contradict
// each other. Does not find cycles that require a larger term than a rule's search side, or cycles within one list.
Undoing FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_UNDOING_H_
