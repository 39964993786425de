// Computes the costs of both sides of an entry with a machine's model. The pack builder and the pack verifier share
// this code.
#ifndef REWROUGHT_EMITTER_ENTRY_COST_H_
#define REWROUGHT_EMITTER_ENTRY_COST_H_

#include "absl/status/status.h"
#include "emitter/entry_rule.h"
#include "emitter/proved_cases.h"
#include "ir/term.h"
#include "machine/machine.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::emitter {

// Returns the replacement with a new symbol in place of each op that reads only constants, because the driver folds
// such ops when it applies the rule.
ir::Term ReplaceWithFoldedConstants(const ir::Rule& rule);

// Sets base_cost to the cost of the search side, and cost to the cost of the program or the replacement. The cost of a
// side is the cost of its tuned baseline selection at the first proved case. If base selection cannot select a side,
// keeps the costs in `rule`, and fails with FailedPrecondition if `rule` has none. `entry` is the result of
// ParseEntry(rule).
absl::Status FillCosts(const machine::Machine& machine, const EntryRule& entry, const ProvedCases& proved,
                       v1::RewriteRule* rule);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_ENTRY_COST_H_
