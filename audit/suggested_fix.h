// Finds changes that make a refuted rule hold, and conditions that a proved rule does not need. Every result is proved.
#ifndef REWROUGHT_AUDIT_SUGGESTED_FIX_H_
#define REWROUGHT_AUDIT_SUGGESTED_FIX_H_

#include <nlohmann/json.hpp>

#include "ir/text/rule_text.h"
#include "verifier/entry_check.h"
#include "verifier/prover.h"

namespace rewrought::audit {

// Returns {"weaker": [...]} for a proved rule. The list contains each assumption that is unnecessary by itself, that
// is, if all others are kept: flags such as "n0:nsz" (op nodes are numbered in prefix order of the search side),
// predicates such as "a:is_finite", and "sizes" (all sizes written in the search side).
nlohmann::json WeakerConditions(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check);

// Returns {"weakest": [[...]], "suggested_fix": {"rule", "change", "verdict"}} for a refuted rule. `answer` is the JSON
// object that `rewrought check` prints for the rule. The fix is the first of these changes that makes the rule hold: in
// nir-26, preserve bits in the replacement or fcanonicalize at its root; an inferred set of flags and predicates; a
// size at which all cases were proved; or `~` at the root (inexact). Omits "suggested_fix" if no change makes the rule
// hold.
nlohmann::json SuggestedFixesOf(const ir::RuleEntry& entry, const verifier::Prover& prover,
                                const verifier::RuleCheckOptions& check, const nlohmann::json& answer);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_SUGGESTED_FIX_H_
