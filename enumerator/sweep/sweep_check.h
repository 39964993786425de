// Derivability, looked at again from the outside: which terms of a sweep a set of rules alone does not lead to what
// they are known to be. So a rule that was dropped and is needed is found, and sets of different tools are compared.
#ifndef REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_
#define REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "enumerator/sweep/sweep_rules.h"
#include "enumerator/sweep/term_table.h"

namespace rewrought::enumerator {

using PatternRule = std::pair<Pattern, Pattern>;  // search, replacement

// A rule that was dropped: it may be used once its own term has been led to what it is, or found not to be.
struct DroppedRule {
  TermIndex search = kNoTerm, replace = kNoTerm;
};

// `settled` says what the terms are; nothing else of it is used. A term that is found underived is taken for what it
// is, so that no other is missed on its account. Ascending.
std::vector<TermIndex> NotDerived(const TermTable& terms, const SweepRules& settled,
                                  absl::Span<const PatternRule> rules, absl::Span<const DroppedRule> dropped = {});

// The numbers of the rules whose sides are not known to be one; of what is larger than the terms too, as nothing is
// known of it.
std::vector<size_t> NotKnown(const SweepRules& settled, absl::Span<const PatternRule> rules);

}  // namespace rewrought::enumerator

#endif  // REWROUGHT_ENUMERATOR_SWEEP_SWEEP_CHECK_H_
