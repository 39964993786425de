// Computes the cost of both sides of an entry by a machine's model. Pack builder and pack verifier share this code.
#ifndef REWROUGHT_EMITTER_ENTRY_COST_H_
#define REWROUGHT_EMITTER_ENTRY_COST_H_

#include "absl/status/status.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::emitter {

// Returns the replacement with each op on constants only replaced by a new symbol, because the driver folds such ops
// when it applies the rule.
ir::Term ReplaceWithFoldedConstants(const ir::Rule& rule);

// Sets cost and base_cost: tuned baseline selection's cost for each side at the first proved case, or the program's
// cost. If base selection has no program for a side, keeps the costs in `rule`; fails with FailedPrecondition if there
// are none. `entry` is ParseEntry(rule).
absl::Status FillCosts(const machine::Machine& machine, const EntryRule& entry, const ProvedCases& proved,
                       v1::RewriteRule* rule);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_ENTRY_COST_H_
