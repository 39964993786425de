// What stands in a term, the orders in which its nodes and variables are counted, and the change that keeps sources
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

// The names of the ops in a term.
std::set<std::string> OpNames(const Term& term);

// All values in prefix order from the root, each once, at its first place: what "n2" of a precondition counts in.
std::vector<NodeIndex> ValuesInPrefixOrder(const Term& term);

// The op nodes among them. Flags, multi-use intermediates and assumptions ("n0:nsz") count in this order.
std::vector<NodeIndex> OpsInPrefixOrder(const Term& term);

// The variables of a term by first occurrence in prefix order, the order of facts.
std::vector<std::string> VariablesInOrder(const Term& term);

// Makes node `at` of the term the result of `op`, at the node's size, on `variable` and, where there is a `number`, on
// that constant as well: before the variable, or behind it if `variable_first`. Nodes from `at` on move up.
void WriteAsFunction(NodeIndex at, const OpRow& op, Node variable, std::optional<uint64_t> number, bool variable_first,
                     Term* term);

// Makes all nodes of one variable its first, as parsed terms have it: texts and digests tell the two forms apart.
void ShareVariables(Term* term);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TERM_ORDER_H_
