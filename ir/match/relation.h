// Relations between constants, for conditions other than equality of operands. A search `where(x, r)` matches x, but
// only if r is true for the matched constants. `where` is not in the op table (ir/op_table.h), so no shader, machine or
// search space contains it, and code that does not handle it finds no match (docs/decisions/packs.md).
#ifndef REWROUGHT_IR_MATCH_RELATION_H_
#define REWROUGHT_IR_MATCH_RELATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

inline constexpr absl::string_view kWhere = "where";

// Returns the row of `where`. Its result is x if r is true and poison otherwise, so any replacement is correct if r is
// false.
const OpRow& WhereRow();

bool IsWhere(const Node& node);

bool HasRelation(const Term& search);

// Returns the root of the matched term: x's root, or the search's own root if it has no relation.
NodeIndex MatchedRoot(const Term& search);

// Returns the matched term: x, or the whole search if it has no relation. Nodes keep their indices. Use it to inspect,
// cost and prove a search, but never to build a rule.
Term Matched(const Term& search);

// Returns r as a separate term, or an empty term if there is no relation. Its variables have the same names as in the
// search.
Term RelationOf(const Term& search);

// Returns where(matched, relation), or `matched` if `relation` is empty.
Term WithRelation(Term matched, const Term& relation);

// Returns, indexed by node, whether the node belongs to r. Such a node may also belong to x.
std::vector<bool> NodesOfRelation(const Term& search);

// Returns the reason why r cannot contain `op`, or "" if it can. A valid op has a single, fully defined result for all
// operands, reads and returns no floats, and acts per component.
std::string WhyUnfitForRelation(const OpRow& op);

// Checks that `where` occurs only at the search's root and that r consists of valid ops over integers and `#` variables
// of x. Otherwise fails with InvalidArgument. Returns OK if the search has no relation.
absl::Status CheckRelation(const Term& search);

// Fails with InvalidArgument if `term` contains `where`, which has no meaning in a replacement or in a shader's value.
absl::Status CheckNoRelation(const Term& term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_RELATION_H_
