// Defines the orders in which the nodes and variables of a term are numbered, and inserts nodes while keeping sources
// before users.
#ifndef REWROUGHT_IR_TERM_ORDER_H_
#define REWROUGHT_IR_TERM_ORDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/term.h"

namespace rewrought::ir {

std::set<std::string> OpNames(const Term& term);

// Returns all nodes in prefix order from the root, each at its first occurrence. In a precondition, "n2" is the node
// with index 2 in this order.
std::vector<NodeIndex> ValuesInPrefixOrder(const Term& term);

// Returns only the op nodes, in the same order. Flags, multi-use intermediates and assumptions ("n0:nsz") refer to ops
// by their index in this order.
std::vector<NodeIndex> OpsInPrefixOrder(const Term& term);

// Returns the variables of a term in prefix order of their first occurrences. Lists of facts about variables use the
// same order.
std::vector<std::string> VariablesInOrder(const Term& term);

// Renames the variables a, b, c, ... in the order of their first occurrences in the search.
void RenameInOrder(Rule* rule);

// Replaces node `at` with an op `op` of the same size. Its sources are `variable` and, if `number` is set, that
// constant. The constant is the first source, or the second if `variable_first`. This increases the indices of the
// nodes from `at` on.
void WriteAsFunction(NodeIndex at, const OpRow& op, Node variable, std::optional<uint64_t> number, bool variable_first,
                     Term* term);

// Merges all nodes of each variable into its first node, as in a parsed term. Merging changes the term's text and
// digest.
void ShareVariables(Term* term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TERM_ORDER_H_
