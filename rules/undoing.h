// Finds rules of different files that undo each other, so that passes made of the files would rewrite a shader back
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
// The maximum number of terms explored from one start. If there are more, cycles of three or more rules may be
// missed.
inline constexpr size_t kTermsOfCycle = 500;

struct ListedRule {
  size_t list = 0, rule = 0;

  friend bool operator==(const ListedRule&, const ListedRule&) = default;
};

struct UndoingRules {
  std::vector<ListedRule> rules;   // of at least two lists, without repetitions
  std::vector<std::string> terms;  // the cycle, from a term back to itself
};

struct Undoing {
  std::vector<UndoingRules> cycles;  // pairs first, then cycles of three or more rules
  size_t cut = 0;                    // the number of rules from which more than kTermsOfCycle terms are reached
};

// Finds all pairs of rules of different lists (files) that undo each other, with at least one rule from the first
// `own` lists, ordered by list and rule. Then finds, for each rule of these lists, a shortest cycle of three or more
// rules that rewrites its search side to itself, unless it contains rules already found. Pairs start from the search
// side at up to four size assignments and use only the two rules; cycles use all rules, within the bounds above.
// Predicates and conditions are treated as in rules/term_steps.h, so a reported cycle may have contradictory
// conditions. Does not find cycles that need more of a shader than the search side of a rule, or cycles within one
// list.
Undoing FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_UNDOING_H_
