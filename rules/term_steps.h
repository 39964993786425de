// Terms for trying rules without a shader, and rewrite steps on them. Predicates are true unless the term shows
// otherwise, open constants are samples, and conditions are true.
#ifndef REWROUGHT_RULES_TERM_STEPS_H_
#define REWROUGHT_RULES_TERM_STEPS_H_

#include <functional>
#include <map>
#include <vector>

#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

// The number of a rule's size assignments to try.
inline constexpr size_t kSizesTried = 4;

// Appends the subterm of `from` at `index` to `to`, sources first. `moved` maps copied nodes to their new indices.
void CopyBelow(const ir::Term& from, ir::NodeIndex index, std::map<ir::NodeIndex, ir::NodeIndex>* moved, ir::Term* to);

// Returns the nodes reachable from the root in topological order, and drops the others.
ir::Term Sorted(const ir::Term& term);

// Removes predicates and flags, and replaces each variable that matches only constants by a distinct constant.
ir::Term WithSamples(ir::Term term);

// Returns the search side of `rule` with samples, at up to kSizesTried size assignments; empty if no sizes fit.
std::vector<ir::Term> SearchTerms(const ir::Rule& rule);

// Calls `visit` with each result of applying `rule` to `term` at node `root`, once per matching order of operands.
// Folds constants, as every driver does between two rules.
void ForEachStep(const ir::CompiledRule& rule, const ir::Term& term, ir::NodeIndex root,
                 const std::function<void(const ir::Term&)>& visit);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERM_STEPS_H_
