// What would make a refuted rule hold, and what a proved rule asks for without need. Every answer is itself proved.
#ifndef REWROUGHT_AUDIT_SUGGESTED_FIX_H_
#define REWROUGHT_AUDIT_SUGGESTED_FIX_H_

#include <nlohmann/json.hpp>

#include "ir/text/rule_text.h"
#include "verifier/entry_check.h"
#include "verifier/prover.h"

namespace rewrought::audit {

// Of a rule that was proved: {"weaker": [...]}, each an assumption without which it is still proved, one at a time:
// "n0:nsz" (op nodes in prefix order of the search), "a:is_finite", "sizes" (all sizes written in the search).
nlohmann::json WeakerConditions(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check);

// Of a rule that was refuted, with the object that `rewrought check` gives: {"weakest": [[...]], "suggested_fix":
// {"rule", "change", "verdict"}}. The suggested_fix is the first that holds of: the sets of flags and predicates that
// inference finds, one size where all cases of that size were proved, `~` at the root (inexact). None: no
// "suggested_fix". Of an unknown rule:
// {}.
nlohmann::json SuggestedFixesOf(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check, const nlohmann::json& answer);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SUGGESTED_FIX_H_
