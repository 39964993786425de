// Rules of different files that undo each other: what one makes the others turn back, so that passes made of the files
// turn one shader round.
#ifndef REWROUGHT_RULES_UNDOING_H_
#define REWROUGHT_RULES_UNDOING_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ir/match/match.h"

namespace rewrought::rules {

// Cycles of three rules and more take at most so many steps.
inline constexpr size_t kStepsOfCycle = 8;
// From one start so many terms are looked at; where there are more, cycles of three rules and more may be missed.
inline constexpr size_t kTermsOfCycle = 500;

struct ListedRule {
  size_t list = 0, rule = 0;

  friend bool operator==(const ListedRule&, const ListedRule&) = default;
};

struct UndoingRules {
  std::vector<ListedRule> rules;   // of at least two lists, each once
  std::vector<std::string> terms;  // what goes round, from a term to itself
};

struct Undoing {
  std::vector<UndoingRules> cycles;  // pairs, then those of three rules and more
  size_t cut = 0;                    // rules from which there were more than kTermsOfCycle terms
};

// All pairs of rules of different lists (files) that undo each other, one of them of the first `own` lists, by list and
// rule; then for each rule of those lists a shortest cycle of three rules or more that turns its search side into
// itself, unless it holds one named before. Pairs rewrite the search side, at up to four sizes, with the two rules
// alone, cycles with all, within the two bounds above. Predicates and conditions as rules/term_steps.h has them: what
// is named may have conditions that never hold together. A cycle that needs more of a shader than the search side of
// one of its rules, and one within a list, are not named.
Undoing FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_UNDOING_H_
