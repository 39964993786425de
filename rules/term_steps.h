// Creates terms on which rules can be tried without a shader, and performs rewrite steps on them. Predicates count as
// true unless the term shows otherwise, conditions count as true, and sample constants replace symbols.
#ifndef REWROUGHT_RULES_TERM_STEPS_H_
#define REWROUGHT_RULES_TERM_STEPS_H_

#include <functional>
#include <map>
#include <vector>

#include "ir/match/match.h"
#include "ir/term.h"

namespace rewrought::rules {

// The maximum number of size assignments that are tried for each rule.
inline constexpr size_t kSizesTried = 4;

// Copies the subterm of `from` at `index` to the end of `to`, sources first. `moved` maps copied nodes to their new
// indices.
void CopyBelow(const ir::Term& from, ir::NodeIndex index, std::map<ir::NodeIndex, ir::NodeIndex>* moved, ir::Term* to);

// Returns the term with its nodes in topological order and without nodes that the root does not reach.
ir::Term Sorted(const ir::Term& term);

// Removes predicates and flags, and replaces each constant-only variable with a distinct constant.
ir::Term WithSamples(ir::Term term);

// Returns the search side of `rule` as a term without symbols (WithSamples), once for each of up to kSizesTried size
// assignments. The result is empty if no sizes fit.
std::vector<ir::Term> SearchTerms(const ir::Rule& rule);

// Calls `visit` with each result of applying `rule` to `term` at node `root`; there is one result for each order of
// operands that matches. Folds constants in the result, as every driver does between two rules.
void ForEachStep(const ir::CompiledRule& rule, const ir::Term& term, ir::NodeIndex root,
                 const std::function<void(const ir::Term&)>& visit);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_TERM_STEPS_H_
