// Which of Mesa's predicates facts of the corpus grant, so that a rule with preconditions counts and proposes only
// where they hold.
#ifndef REWROUGHT_IR_FACTS_FACT_PREDICATES_H_
#define REWROUGHT_IR_FACTS_FACT_PREDICATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/facts/value_facts.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Range predicates that hold of a float with these facts, weak ones first; their meaning is
// ir/facts/predicate_meaning.h's.
std::vector<std::string> GrantedPredicates(const ValueFacts& facts);

// Whether `predicate` holds of every value with these facts; false for what is not a range predicate.
bool FactsGrant(const ValueFacts& facts, absl::string_view predicate);

// Whether a predicate with a meaning holds of the constant `value` of `bits`, read as `base`.
bool ConstantHas(absl::string_view predicate, uint64_t value, int bits, BaseType base);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_FACT_PREDICATES_H_
