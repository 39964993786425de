// Terms on which rules are tried without a shader, and what one step of rewriting makes of a term. Predicates count as
// true unless the term shows them to be false, constants that a rule leaves open stand as samples, conditions are true.
#ifndef REWROUGHT_RULES_TERM_STEPS_H_
#define REWROUGHT_RULES_TERM_STEPS_H_

#include <functional>
#include <map>
#include <vector>

#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

// Of the sizes that a rule has, how many are tried.
inline constexpr size_t kSizesTried = 4;

// Adds what lies below node `index` of `from` to `to`, which it gives in `moved`: node by node, sources first.
void CopyBelow(const ir::Term& from, ir::NodeIndex index, std::map<ir::NodeIndex, ir::NodeIndex>* moved, ir::Term* to);

// The nodes below the root in topological order; the others are dropped.
ir::Term Sorted(const ir::Term& term);

// Without predicates and flags; variables that only match constants become constants, each its own.
ir::Term WithSamples(ir::Term term);

// The search side of `rule`, with samples, at up to kSizesTried sizes; none where its sizes fit nothing.
std::vector<ir::Term> SearchTerms(const ir::Rule& rule);

// Calls `visit` with what `rule` makes of `term` at node `root`, once for each order of operands in which it matches;
// constants are folded, as every driver does between two rules.
void ForEachStep(const ir::CompiledRule& rule, const ir::Term& term, ir::NodeIndex root,
                 const std::function<void(const ir::Term&)>& visit);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERM_STEPS_H_
