// The facts that a DAG shows by itself: predicates of constants, of the op behind a value, and of the number of uses.
#ifndef REWROUGHT_IR_MATCH_FACTS_H_
#define REWROUGHT_IR_MATCH_FACTS_H_

#include "ir/match/match.h"

namespace rewrought::ir {

// Answers by what the nodes say: constant and range predicates of constants by their value in every lane (the rows of
// ir/facts/predicate_meaning.h), is_not_const, is_fmul and their like by the op behind the value, is_used_once by
// query.uses. False for everything else.
bool FactsOfNodes(const PredicateQuery& query);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_FACTS_H_
