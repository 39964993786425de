// Interprets a rule's context in Mesa: its C condition, and marks of medium precision.
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

// The assumptions that the top-level `&&` parts of a condition allow. Alternatives (`||`) are ignored.
struct ConditionReading {
  // Sizes at which the shader need not preserve signed zeros, infinities and NaNs:
  // `!nir_is_float_control_signed_zero_inf_nan_preserve(…, N)` (Mesa before 24.0; later trees mark nsz, nnan and ninf
  // per node).
  std::vector<int> loose_sizes;
  // The mode in which alone the rule applies: flush for `nir_is_denorm_flush_to_zero(…)`, preserve for
  // `nir_is_denorm_preserve(…)`.
  std::optional<ir::DenormMode> only_mode;
  // Whether a part is `options->lower_…`: a back end requests the rewrite because it lacks the op. Mesa omits `~` on
  // such rules even if they round differently (see the start of nir_opt_algebraic.py).
  bool is_lowering = false;
};
ConditionReading ReadCondition(absl::string_view condition);

// Returns the top-level `&&` parts of `condition`, without surrounding spaces and outer parentheses.
std::vector<std::string> Conjuncts(absl::string_view condition);

// Puts nsz, nnan and ninf on every float op of the search whose result or source has one of `sizes`. Includes open
// sizes if the rule mentions one of `sizes` and no other float size. Returns whether it changed an op.
bool LoosenFloats(const std::vector<int>& sizes, ir::Rule* rule);

// Returns the rule without medium precision: removes f2fmp and i2imp, and makes f2imp, f2ump, i2fmp and u2fmp return
// 32 bits. According to NIR, this is safe if the result is converted back. Returns no rule if there are no such ops.
std::optional<ir::Rule> WithoutMediumPrecision(const ir::Rule& rule);

// Sets the sizes of op sources that the tree's opcodes fix and our rows leave open, such as pack_unorm_2x16 until
// 24.0. Returns whether it changed any size.
bool FixSourceSizes(const SourceSizes& sizes, ir::Rule* rule);

// Replaces the conversions to Booleans that Mesa had until 23.1 (`i2b` and `f2b`, with or without a size) by the
// comparisons with 0 that replaced them: 'i2b1' of a becomes ('ine', a, 0). Also gives fsat_signed_mali and
// fclamp_pos_mali their current names, which nir_opcodes.py defines in the same way. `tuple` is the text of a tuple.
std::string WithTodaysOps(std::string tuple);

// Removes predicates that we do not know, such as a back end's own, and appends their names to `dropped`; nothing is
// assumed about them. `rule` is a tuple of search and replacement.
std::string WithoutUnknownPredicates(std::string rule, std::vector<std::string>* dropped);

// Removes predicates on later uses of a variable and appends the variables to `dropped`: Mesa's matcher checks only
// the first use (nir_search.c, match_value).
std::string WithoutLaterPredicates(std::string rule, std::vector<std::string>* dropped);

// Returns whether no assignment of sizes fits the search, so that it matches nothing.
bool MatchesNothing(const std::string& search);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_RULE_READING_H_
