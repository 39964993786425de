// What the two sides of an entry cost by a machine's model: the one place that says so, for those who build a pack
// and for those who verify it.
#ifndef REWROUGHT_EMITTER_ENTRY_COST_H_
#define REWROUGHT_EMITTER_ENTRY_COST_H_

#include "absl/status/status.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::emitter {

// The replacement with each op on constants and on the search's symbols alone as a symbol of its own: where the rule
// is applied, the driver folds it.
ir::Term ReplaceWithFoldedConstants(const ir::Rule& rule);

// Fills in cost and base_cost: tuned baseline selection's of each side at the first proved case, a program's own. Where
// base selection has no program for a side, the costs that came with `rule` stand. FailedPrecondition: none came.
// `entry` is ParseEntry(rule).
absl::Status FillCosts(const machine::Machine& machine, const EntryRule& entry, const ProvedCases& proved,
                       v1::RewriteRule* rule);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_ENTRY_COST_H_
