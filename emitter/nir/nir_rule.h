// One pack entry as the tuples that go into a driver's rule list: sizes pinned and conditions added as its proofs
// demand.
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
  std::string search, replace;    // Python expressions
  std::string condition;          // C text; empty: always
  bool late = false;              // only fits behind the late pass
  bool makes_late = false;        // as MakesLate
  bool second = false;            // for the second pass of its place
  bool positions = false;         // the form for stages that compute positions (v1::PackEntry::for_positions)
  std::set<std::string> helpers;  // files of C that its conditions need, by ir::PredicateInfo::brought_by
};

struct NirRules {
  std::vector<NirRule> rules;      // one, or one per size that is proved
  std::vector<std::string> notes;  // sizes left out and why
};

// The tuples of `entry` for `target`. Each is parsed again and compared with the entry at every size. Guards that the
// replacement's new ops need stand for the machine called `machine`. Errors as ParseEntry and FindProvedCases;
// FailedPrecondition also for what Mesa's tuples or the target cannot say.
absl::StatusOr<NirRules> ExpandForNir(const v1::PackEntry& entry, const NirTarget& target, absl::string_view machine);

// Whether the rule must not change a position, in the stages of rules::ComputesPositions: it is inexact, looks at other
// users of a value, and the entry does not say all_stages. `rule` as ParseEntry gives it.
bool AvoidsPositions(const v1::PackEntry& entry, const ir::Rule& rule);

// Whether the rule matches an op that only the late pass of `target` makes (NirTarget::IsLate): it fits only behind it.
// Fused multiply-adds are there before.
bool MatchesLate(const ir::Rule& rule, const NirTarget& target);

// Whether the rule makes such an op of others: main rules would undo it or not know it, but behind the late pass its
// search side may stand in other ops (`a - b`, which it matches as `a + -b`).
bool MakesLate(const ir::Rule& rule, const NirTarget& target);

// The rule as one Python tuple, "(search, replace[, 'condition'])".
std::string PythonTuple(const NirRule& rule);

// Whether `condition` is C text that may be compiled into a driver: printable, made of names, numbers and operators,
// and all its `options->` fields exist. FailedPrecondition names the first thing that is not.
absl::Status CheckCondition(absl::string_view condition, const NirTarget& target);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_NIR_NIR_RULE_H_
