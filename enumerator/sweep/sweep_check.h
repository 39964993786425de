// Finds the terms of a sweep that a given set of rules alone does not derive, independently of the sweep itself. This
// detects dropped rules that are needed, and compares the rule sets of different tools.
#ifndef REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_
#define REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "enumerator/sweep/sweep_rules.h"
#include "enumerator/sweep/term_table.h"

namespace rewrought::enumerator {

using PatternRule = std::pair<Pattern, Pattern>;  // Search and replacement.

// A dropped rule. The check may use it as soon as the rule's search term has been derived or reported.
struct DroppedRule {
  TermIndex search = kNoTerm, replace = kNoTerm;
};

// Returns, in ascending order, the terms that `rules` do not derive. `settled` provides only the representative of each
// term; its rules are not used. A term that is not derived is assumed to equal its representative from then on, so that
// the failure does not affect other terms.
std::vector<TermIndex> NotDerived(const TermTable& terms, const SweepRules& settled,
                                  absl::Span<const PatternRule> rules, absl::Span<const DroppedRule> dropped = {});

// Returns the indices of the `rules` whose sides are not known to be equal. This includes rules whose sides are larger
// than the terms of the sweep.
std::vector<size_t> NotKnown(const SweepRules& settled, absl::Span<const PatternRule> rules);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_
