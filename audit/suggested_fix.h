// Finds changes that make a refuted rule hold, and unnecessary conditions of a proved rule. Every result is proved.
#ifndef REWROUGHT_AUDIT_SUGGESTED_FIX_H_
#define REWROUGHT_AUDIT_SUGGESTED_FIX_H_

#include <nlohmann/json.hpp>

#include "ir/text/rule_text.h"
#include "verifier/entry_check.h"
#include "verifier/prover.h"

namespace rewrought::audit {

// Returns {"weaker": [...]} for a proved rule: assumptions that can be dropped one at a time, such as "n0:nsz" (op
// nodes in prefix order of the search), "a:is_finite", or "sizes" (all sizes written in the search).
nlohmann::json WeakerConditions(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check);

// Returns {"weakest": [[...]], "suggested_fix": {"rule", "change", "verdict"}} for a refuted rule; `answer` is its
// object of `rewrought check`. The fix is the first of these changes that makes the rule hold: the inferred sets of
// flags and predicates, a size at which all cases were proved, and `~` at the root (inexact). "suggested_fix" is
// missing if none does. Returns {} for an unknown rule.
nlohmann::json SuggestedFixesOf(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check, const nlohmann::json& answer);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SUGGESTED_FIX_H_
