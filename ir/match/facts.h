// Evaluates predicates about constants, defining ops, and use counts from a DAG alone.
#ifndef REWROUGHT_IR_MATCH_FACTS_H_
#define REWROUGHT_IR_MATCH_FACTS_H_

#include "ir/match/match.h"

namespace rewrought::ir {

// Returns whether the queried predicate holds according to the nodes alone. Constant and range predicates use the
// constant's value in every lane (the rows of ir/facts/predicate_meaning.h). is_not_const, is_fmul and similar
// predicates use the op that defines the value, and is_used_once uses query.uses. Returns false for all other
// predicates.
bool FactsOfNodes(const PredicateQuery& query);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_FACTS_H_
