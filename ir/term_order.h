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

// Returns all nodes in prefix order from the root, each at its first occurrence. "n2" in a precondition is an index in
// this order.
std::vector<NodeIndex> ValuesInPrefixOrder(const Term& term);

// Returns only the op nodes, in the same order. Flags, multi-use intermediates and assumptions ("n0:nsz") use their
// indices.
std::vector<NodeIndex> OpsInPrefixOrder(const Term& term);

// Returns the variables of a term by first occurrence in prefix order, which is the order of facts.
std::vector<std::string> VariablesInOrder(const Term& term);

// Replaces node `at` by the result of `op`, at the node's size, on `variable` and, if `number` is set, on that
// constant. The constant is the first source, or the second if `variable_first`. The indices of nodes from `at` on
// increase.
void WriteAsFunction(NodeIndex at, const OpRow& op, Node variable, std::optional<uint64_t> number, bool variable_first,
                     Term* term);

// Merges all nodes of a variable into the first one, as in parsed terms. Texts and digests distinguish the two forms.
void ShareVariables(Term* term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TERM_ORDER_H_
