// What a rule's place in Mesa says beside its two terms: its C condition, and marks of medium precision.
#ifndef REWROUGHT_AUDIT_RULE_READING_H_
#define REWROUGHT_AUDIT_RULE_READING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "audit/mesa_rules.h"
#include "ir/float_contract.h"
#include "ir/term.h"

namespace rewrought::audit {

// What the parts of a condition, joined by `&&` at its top, let a rule rely on. Alternatives (`||`) are not looked
// into.
struct ConditionReading {
  // Sizes at which the shader has no need to keep signed zeros, infinities and NaNs:
  // `!nir_is_float_control_signed_zero_inf_nan_preserve(…, N)` (Mesa before 24.0; later trees say nsz, nnan, ninf by
  // node).
  std::vector<int> loose_sizes;
  // `nir_is_denorm_flush_to_zero(…)`: the rule fires in mode flush only. `nir_is_denorm_preserve(…)`: in preserve.
  std::optional<ir::DenormMode> only_mode;
  // Some part is `options->lower_…`: a back end asks for the rewrite because it has nothing else. Mesa keeps `~` off
  // such rules even where they round differently (the comment at the head of nir_opt_algebraic.py).
  bool is_lowering = false;
};
ConditionReading ReadCondition(absl::string_view condition);

// The parts of `condition` that are joined by `&&` at its top, without blanks around them and outer parentheses.
std::vector<std::string> Conjuncts(absl::string_view condition);

// Puts nsz, nnan and ninf on every float op of the search whose result or source has one of `sizes` (open sizes too, if
// the rule mentions one of `sizes` and no other float size). Returns whether it put any.
bool LoosenFloats(const std::vector<int>& sizes, ir::Rule* rule);

// The rule as it is where medium precision is not made use of: f2fmp and i2imp are taken out, f2imp, f2ump, i2fmp and
// u2fmp give 32 bits. NIR says of these ops that this is safe where the result is converted back. Nullopt without such
// ops.
std::optional<ir::Rule> WithoutMediumPrecision(const ir::Rule& rule);

// Gives the sources of ops the sizes that the tree's opcodes fix and ours leave open, as pack_unorm_2x16 until 24.0.
// Returns whether it changed any.
bool FixSourceSizes(const SourceSizes& sizes, ir::Rule* rule);

// Writes the conversions to Booleans that Mesa had until 23.1 (`i2b`, `f2b`, with a size or without) as the comparisons
// with 0 that replaced them: 'i2b1' of a is ('ine', a, 0); and fsat_signed_mali and fclamp_pos_mali by their names of
// today, of which nir_opcodes.py says the same. The text is a tuple.
std::string WithTodaysOps(std::string tuple);

// `rule` without the predicates that we do not know, whose names go to `dropped`: a back end's own, of which nothing is
// assumed then. The text is a tuple of search and replacement.
std::string WithoutUnknownPredicates(std::string rule, std::vector<std::string>* dropped);

// The rule without predicates on a second use of a variable, whose names go to `dropped`: Mesa's matcher looks at them
// where it meets the variable first (nir_search.c, match_value).
std::string WithoutLaterPredicates(std::string rule, std::vector<std::string>* dropped);

// Whether no assignment of sizes fits the search alone: then it matches nothing.
bool MatchesNothing(const std::string& search);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_RULE_READING_H_
