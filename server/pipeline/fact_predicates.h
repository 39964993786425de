// Which of Mesa's predicates facts of the corpus grant, so that a rule with preconditions counts and proposes only
// where they hold.
#ifndef REWROUGHT_SERVER_PIPELINE_FACT_PREDICATES_H_
#define REWROUGHT_SERVER_PIPELINE_FACT_PREDICATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "corpus/facts.h"
#include "ir/op_row.h"

namespace rewrought::pipeline {

// Range predicates that hold of a float with these facts, weak ones first; their meaning is ir/predicate_meaning.h's.
std::vector<std::string> GrantedPredicates(const corpus::ValueFacts& facts);

// Whether `predicate` holds of every value with these facts; false for what is not a range predicate.
bool FactsGrant(const corpus::ValueFacts& facts, absl::string_view predicate);

// Whether a predicate with a meaning holds of the constant `value` of `bits`, read as `base`.
bool ConstantHas(absl::string_view predicate, uint64_t value, int bits, ir::BaseType base);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FACT_PREDICATES_H_
