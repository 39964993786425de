// The assumptions that Mesa's predicates express, written in the language of meanings (docs/primitives.md). Each row
// defines one predicate. Structural predicates, such as is_used_once, say nothing about the value, so they have no row
// and never make a proof easier.
#ifndef REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
#define REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Returns the 1-bit assumption that `predicate` makes about `value`, a single component that its user reads as type
// `base`. Returns the literal "true" for structural and unknown predicates. Fails with InvalidArgument if the predicate
// does not fit the value's width.
absl::StatusOr<ValueIndex> AssumePredicate(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base);

// Returns the text of the assumption that AssumePredicate builds, over the variable `a`, or "" if there is none.
absl::string_view PredicateMeaningText(absl::string_view predicate, BaseType base);

bool PredicateAssumesSomething(absl::string_view predicate);

// Returns all rows as text, for the digest of the semantics.
std::string PredicateRowsText();

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_PREDICATE_MEANING_H_
