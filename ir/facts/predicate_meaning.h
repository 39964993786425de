// The assumptions that Mesa's predicates express, as terms in the language of meanings, with one row per predicate.
// Structural predicates (is_used_once, …) express no assumption and have no row; they never strengthen a proof.
#ifndef REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
#define REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Returns the 1-bit assumption that `predicate` makes about `value` (one component), which is used as a `base` operand.
// Returns the literal "true" for structural and unknown names. Fails with InvalidArgument if the predicate does not fit
// the value's width.
absl::StatusOr<ValueIndex> AssumePredicate(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base);

bool PredicateAssumesSomething(absl::string_view predicate);

// Returns all rows as text, for the digest of the semantics.
std::string PredicateRowsText();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
