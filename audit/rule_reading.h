// Interprets the parts of a Mesa rule that depend on Mesa itself: its C condition, medium-precision ops, old op names,
// and unknown predicates.
#ifndef REWROUGHT_AUDIT_RULE_READING_H_
#define REWROUGHT_AUDIT_RULE_READING_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "audit/mesa_rules.h"
#include "ir/float_contract.h"
#include "ir/term.h"

namespace rewrought::audit {

// The assumptions that the top-level `&&` parts of a condition allow. Parts that contain alternatives (`||`) are
// ignored.
struct ConditionReading {
  // The sizes at which the shader need not preserve signed zeros, infinities, and NaNs, from
  // `!nir_is_float_control_signed_zero_inf_nan_preserve(…, N)` (Mesa before 24.0; later trees mark nsz, nnan and ninf
  // per node).
  std::vector<int> loose_sizes;
  // The modes of the shaders to which the rule applies, by the size of the floats in bits: flush for
  // `nir_is_denorm_flush_to_zero(…, N)`, and preserve for `nir_is_denorm_preserve(…, N)`.
  std::map<int, ir::DenormMode> modes;
  // True if the rule applies only in shaders that round toward zero (`nir_is_rounding_mode_rtz(…)`), which the verifier
  // does not model.
  bool only_toward_zero = false;
  // True if a part contains `options->lower_…`, that is, if a back end requests the rewrite because it lacks the op.
  // Mesa omits `~` on such rules even if their sides round differently (see the start of nir_opt_algebraic.py).
  bool is_lowering = false;
};
ConditionReading ReadCondition(absl::string_view condition);

// Returns the top-level `&&` parts of `condition`, without surrounding spaces and outer parentheses.
std::vector<std::string> Conjuncts(absl::string_view condition);

// If the search side has floats, all of them only of `sizes`, sets nsz, nnan, and ninf on each op that has a float
// result or source. Returns whether it did.
bool LoosenFloats(const std::vector<int>& sizes, ir::Rule* rule);

// Returns the rule without medium precision: removes f2fmp and i2imp, and replaces f2imp, f2ump, i2fmp, and u2fmp with
// ops that return 32 bits. According to NIR, this is safe if the result is converted back. Returns nullopt if the rule
// has no such ops.
std::optional<ir::Rule> WithoutMediumPrecision(const ir::Rule& rule);

// Sets the size of each op source whose size the tree's opcodes fix but our op rows leave open, such as the sources of
// pack_unorm_2x16 until Mesa 24.0. Returns whether it changed any size.
bool FixSourceSizes(const SourceSizes& sizes, ir::Rule* rule);

// Replaces the conversions to Booleans that Mesa had until 23.1 (`i2b` and `f2b`, with or without a size) with
// comparisons with 0, as in newer versions: ('i2b1', a) becomes ('ine', a, 0). Also renames fsat_signed_mali and
// fclamp_pos_mali to their current names; nir_opcodes.py defines the renamed ops identically. `tuple` is the text of a
// tuple.
std::string WithTodaysOps(std::string tuple);

// Removes predicates that this program does not know, such as those that a back end defines, and appends their names to
// `dropped`. The rule is then verified without assuming them. `rule` is a tuple of the search side and the replacement.
std::string WithoutUnknownPredicates(std::string rule, std::vector<std::string>* dropped);

// Removes predicates on all uses of a variable except the first, and appends the names of the variables to `dropped`.
// Mesa's matcher checks predicates only at the first use (nir_search.c, match_value).
std::string WithoutLaterPredicates(std::string rule, std::vector<std::string>* dropped);

// Returns true if no assignment of sizes fits the search side, so that it cannot match anything.
bool MatchesNothing(const std::string& search);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_RULE_READING_H_
