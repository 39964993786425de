// Relations between constants that are no equation: a search `where(x, r)` looks for x, and only where r is true of the
// constants that it found. The op stands outside the table of ir/op_table.h: no shader, machine or search space has it,
// so who does not know it matches nothing (docs/decisions/packs.md).
#ifndef REWROUGHT_IR_MATCH_RELATION_H_
#define REWROUGHT_IR_MATCH_RELATION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

// What rule text calls the op.
inline constexpr absl::string_view kWhere = "where";

// Its row: x where r is true, else poison, so that any replacement is right there.
const OpRow& WhereRow();

bool IsWhere(const Node& node);

// Whether the root is where(x, r).
bool HasRelation(const Term& search);

// The root of what is matched: that of x, or the search's own.
NodeIndex MatchedRoot(const Term& search);

// What is matched: x, or the search itself. Nodes keep their places. For looking at, costing and proving a search; a
// rule is never to be made of it.
Term Matched(const Term& search);

// r by itself; empty where there is none. Its variables are the search's, by name.
Term RelationOf(const Term& search);

// where(matched, relation); `matched` itself where `relation` is empty.
Term WithRelation(Term matched, const Term& relation);

// Nodes that r is made of, some of which x may read as well.
std::vector<bool> NodesOfRelation(const Term& search);

// Why `op` cannot stand in r; empty: it can. It gives one result, bit for bit, component by component.
std::string UnfitForRelation(const OpRow& op);

// InvalidArgument: the op stands elsewhere than at the search's root, or r is not made of fit ops over integers and `#`
// variables that x has. OK for a search without it.
absl::Status CheckRelation(const Term& search);

// InvalidArgument: the op stands in `term`, where it has no meaning: a replacement, a shader's value.
absl::Status CheckNoRelation(const Term& term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_RELATION_H_
