// Relations between constants, for conditions other than equality of operands. A search `where(x, r)` matches x, but
// only if r is true for the matched constants. The op is not in the table of ir/op_table.h, so no shader, machine or
// search space contains it, and code that does not know it matches nothing (docs/decisions/packs.md).
#ifndef REWROUGHT_IR_MATCH_RELATION_H_
#define REWROUGHT_IR_MATCH_RELATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

inline constexpr absl::string_view kWhere = "where";

// Returns the op's row. The result is x if r is true and poison otherwise, so that any replacement is correct in that
// case.
const OpRow& WhereRow();

bool IsWhere(const Node& node);

bool HasRelation(const Term& search);

// Returns the root of the matched term: x's root, or the search's root without a relation.
NodeIndex MatchedRoot(const Term& search);

// Returns the matched term: x, or the search without a relation. Nodes keep their indices. Use it to inspect, cost and
// prove a search, but never to build a rule.
Term Matched(const Term& search);

// Returns r as a term of its own, or an empty term. Its variables have the same names as in the search.
Term RelationOf(const Term& search);

// Returns where(matched, relation), or `matched` if `relation` is empty.
Term WithRelation(Term matched, const Term& relation);

// Returns which nodes belong to r. Some of them may be part of x too.
std::vector<bool> NodesOfRelation(const Term& search);

// Returns the reason why r cannot contain `op`, or "" if it can. A valid op has exactly one result, is defined bit for
// bit, and works per component.
std::string WhyUnfitForRelation(const OpRow& op);

// Checks that the op is only at the search's root and that r consists of valid ops over integers and `#` variables of
// x. Otherwise fails with InvalidArgument. Returns OK for a search without a relation.
absl::Status CheckRelation(const Term& search);

// Fails with InvalidArgument if `term` contains the op. It has no meaning in a replacement or in a shader's value.
absl::Status CheckNoRelation(const Term& term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_RELATION_H_
