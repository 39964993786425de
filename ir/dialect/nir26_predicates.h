// The meaning of predicates in Mesa 26, whose class analysis replaced the ranges of 25.0.7. File names and lines refer
// to Mesa 26.2.0-rc1, src/compiler/nir.
#ifndef REWROUGHT_IR_DIALECT_NIR26_PREDICATES_H_
#define REWROUGHT_IR_DIALECT_NIR26_PREDICATES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Facts about the instructions that read a variable. Each member is a 1-bit value of the Dag.
struct PredicateReaders {
  ValueIndex lacks_inf = 0;  // whether some reader of the variable as a float lacks preserve_inf
  ValueIndex lacks_nan = 0;  // whether some reader of the variable as a float lacks preserve_nan
};

// Returns whether the meaning of `predicate` depends on the flags of the reading instruction
// (nir_search_helpers.h:890-932).
bool DependsOnReaderIn26(absl::string_view predicate);

// Returns the text of the assumption that AssumePredicateIn26 builds, over the variable `a`, or "" if there is none.
// The text does not mention the flags of the readers.
std::string PredicateMeaningTextIn26(absl::string_view predicate, BaseType base);

// Returns the 1-bit assumption that `predicate` makes about `value`, a single component that its user reads as type
// `base`. The assumption also admits infinities if a reader lacks preserve_inf, and NaNs if a reader lacks
// preserve_nan. Returns the literal "true" for structural and unknown predicates. Fails with InvalidArgument if the
// predicate does not fit the value's width.
absl::StatusOr<ValueIndex> AssumePredicateIn26(Dag* dag, absl::string_view predicate, ValueIndex value, BaseType base,
                                               const PredicateReaders& readers);

// Returns the index, from 0, of the component that x_is_zero, y_is_zero, z_is_zero, or w_is_zero requires to be a
// constant zero of either sign. Returns nullopt for other predicates (nir_search_helpers.h:935-969).
std::optional<int> ComponentThatIsZero(absl::string_view predicate);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_NIR26_PREDICATES_H_
