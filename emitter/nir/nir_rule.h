// Converts a pack entry to tuples of a driver's rule list, with the sizes and conditions that its proofs require.
#ifndef REWROUGHT_EMITTER_NIR_NIR_RULE_H_
#define REWROUGHT_EMITTER_NIR_NIR_RULE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/nir/nir_target.h"
#include "ir/term.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

struct NirRule {
  std::string search, replace;  // Python expressions.
  std::string condition;        // C text; empty means always.
  bool late = false;            // Must run after the late pass.
  bool makes_late = false;      // See MakesLate.
  bool second = false;          // For the second pass of its place.
  bool positions = false;       // The form for stages that compute positions (v1::PackEntry::for_positions).
  // C files that define the rule's conditions: NirTarget::c_names and those of ir::PredicateInfo::brought_by.
  std::set<std::string> helpers;
};

struct NirRules {
  std::vector<NirRule> rules;      // One rule with open sizes, or one rule per proved size.
  std::vector<std::string> notes;  // The omitted sizes, each with a reason.
};

// Returns the tuples of `entry` for `target`, with the guards that new ops require on `machine`. Parses each tuple
// again and compares it with the entry at every size. Returns any error of ParseEntry or FindProvedCases. Fails with
// FailedPrecondition if Mesa's tuples or the target cannot express the rule.
absl::StatusOr<NirRules> ExpandForNir(const v1::PackEntry& entry, const NirTarget& target, absl::string_view machine);

// Returns whether the rule must not change a position in the stages of rules::ComputesPositions. This is the case if
// the rule is inexact, its condition depends on other uses, and the entry does not set all_stages. `rule` is the result
// of ParseEntry.
bool AvoidsPositions(const v1::PackEntry& entry, const ir::Rule& rule);

// Returns whether the rule matches an op that only the late pass of `target` creates (NirTarget::IsLate), so that the
// rule must run after this pass. Fused multiply-adds exist earlier and do not count.
bool MatchesLate(const ir::Rule& rule, const NirTarget& target);

// Returns whether the rule creates an op that only the late pass creates. The tree's main rules would undo or ignore
// the op, but after the late pass, the search side may no longer match: `a + -b` does not match `a - b`.
bool MakesLate(const ir::Rule& rule, const NirTarget& target);

// Returns the condition under which drivers accept the ops that only the replacement has, such as "options->has_iadd3",
// or "" if every driver accepts them. All sizes must be known. If `after_lowering`, the rule may run after a driver has
// lowered 64-bit arithmetic, so new 64-bit ops have a condition as well. An op of the driver of `machine`, which may be
// "", needs no condition. Fails with FailedPrecondition if no option of the target states the condition.
absl::StatusOr<std::string> ConditionOfNewOps(const ir::Rule& at_sizes, const NirTarget& target,
                                              absl::string_view machine, bool after_lowering);

// Returns the rule as one Python tuple, "(search, replace[, 'condition'])".
std::string PythonTuple(const NirRule& rule);

// Checks that `condition` is safe to compile into a driver: it must consist of names, numbers, and operators, and use
// only known `options->` fields. Fails with FailedPrecondition, naming the first violation.
absl::Status CheckCondition(absl::string_view condition, const NirTarget& target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_RULE_H_
