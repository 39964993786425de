// Derives Mesa's predicates from facts of the corpus, so that a rule with preconditions is counted and proposed only
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

// Returns the range predicates that hold for a float with these facts, weak ones first.
std::vector<std::string> GrantedPredicates(const ValueFacts& facts);

// Returns whether `predicate` holds for every value with these facts; false if it is not a range predicate.
bool FactsGrant(const ValueFacts& facts, absl::string_view predicate);

// Returns whether a predicate with a meaning holds for the `bits`-bit constant `value`, read as type `base`.
bool ConstantHas(absl::string_view predicate, uint64_t value, int bits, BaseType base);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_FACT_PREDICATES_H_
