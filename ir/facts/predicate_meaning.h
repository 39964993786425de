// What Mesa's predicates assume of a value, as terms in the language of meanings: one row each. Structural predicates
// (is_used_once, …) assume nothing and have no row; they never strengthen a proof.
#ifndef REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
#define REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// The assumption, 1 bit, that `predicate` makes of `value` (one component), which is used as a `base` operand; the
// literal "true" for structural and unknown names. InvalidArgument when the predicate does not fit the value's width.
absl::StatusOr<ValueIndex> AssumePredicate(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base);

// Whether `predicate` has a row: assuming it can make a rule true.
bool PredicateAssumesSomething(absl::string_view predicate);

// All rows as text, for the digest of the semantics.
std::string PredicateRowsText();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
