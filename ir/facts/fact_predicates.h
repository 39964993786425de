// Derives Mesa's predicates from facts about values of the corpus, so that a rule with preconditions is counted and
// proposed only where the preconditions hold.
#ifndef REWROUGHT_IR_FACTS_FACT_PREDICATES_H_
#define REWROUGHT_IR_FACTS_FACT_PREDICATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/facts/value_facts.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Returns the range predicates that hold for a float with these facts, weaker ones first.
std::vector<std::string> GrantedPredicates(const ValueFacts& facts);

// Returns whether `predicate` holds for every value that has these facts. Returns false if it is not a range predicate.
bool FactsGrant(const ValueFacts& facts, absl::string_view predicate);

// Returns the predicates of Mesa 25.0.7 that hold for the `bits`-bit constant `value`, read as type `base`, most
// general first: the predicates that more of `samples` satisfy. Omits a predicate that fewer than `least` samples
// satisfy. A float gets range predicates and predicates of float constants, and any other value only predicates of
// integer constants.
std::vector<std::string> PredicatesOfConstant(uint64_t value, int bits, BaseType base,
                                              absl::Span<const uint64_t> samples, int least);

// Returns whether `predicate`, which must have a defined meaning, holds for the `bits`-bit constant `value`, read as
// type `base`.
bool ConstantHas(absl::string_view predicate, uint64_t value, int bits, BaseType base);

// Returns false only if `predicate` is known not to hold for the `bits`-bit constant `value`, read as type `base`.
bool ConstantMayHave(absl::string_view predicate, uint64_t value, int bits, BaseType base);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_FACT_PREDICATES_H_
