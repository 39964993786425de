// Whether rewriting with a set of rules comes to an end, found out by rewriting their own sides in every possible way.
#ifndef REWROUGHT_RULES_TERMINATION_H_
#define REWROUGHT_RULES_TERMINATION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

struct TerminationFinding {
  // What went round, from a term to itself; empty when the bound was reached instead.
  std::vector<std::string> terms;
  // The rules applied between them, as indices: first the pack's, then the tree's. Of a reached bound, those of the
  // longest path.
  std::vector<size_t> rules;

  // One line: "A -> (rule 3) B -> (rule 0) A".
  std::string Text() const;
};

// Rewrites both sides of every pack rule with all rules, at up to four sizes each, at every place and in every order,
// folding constants. With the rule alone, its search side where a variable is a constant or one of its own inner ops,
// or an inner op is the rule again; and, if nothing was found before, so each two rules that leave as many ops as they
// find. Reports cycles in which a pack rule takes part, and starting terms from which more than `max_states` terms are
// reached. At most one finding per rule, or pair. Predicates count as true unless the term shows them to be false, and
// constants that a rule leaves open stand as samples: so a cycle may be reported that no shader shows. Conditions count
// as true. InvalidArgument names a rule that cannot be matched with.
absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states);

// Two rules of different lists (files) that undo each other: one turns `terms` into what the other turns back.
struct UndoingPair {
  size_t list = 0, rule = 0;              // which of them is first
  size_t other_list = 0, other_rule = 0;  // in a later list
  std::vector<std::string> terms;         // what goes round, from a term to itself
};

// All such pairs of which at least one rule is of the first `own` lists, by list and rule. Each rule's search side, at
// up to four sizes, is rewritten with the two rules alone; predicates, samples of constants and conditions as above,
// so that a pair may be named whose conditions never hold together. Cycles of three rules are CheckTermination's.
std::vector<UndoingPair> FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERMINATION_H_
