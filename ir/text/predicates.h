// The predicates that rule text may name in parentheses: those of Mesa's search helpers and those that packs supply.
#ifndef REWROUGHT_IR_TEXT_PREDICATES_H_
#define REWROUGHT_IR_TEXT_PREDICATES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace rewrought::ir {

enum class PredicateKind : uint8_t {
  kConstant,    // on a variable: true only for certain constants
  kRange,       // on a variable: uses range analysis
  kStructural,  // on a variable: tests the defining instruction, not the value
  kExpression,  // on an op: tests its users, or marks of the instruction (no_signed_wrap)
  // On a variable: true if several chains of the op have both the variable and a second value as leaves, and fewer
  // chains have both the variable and its neighbor (corpus/chains.h). The second value is the other source of the
  // instruction one or two steps further along the chain. Does not depend on the values.
  kSharing,
};

struct PredicateInfo {
  absl::string_view name;
  PredicateKind kind;
  // The file of emitter/nir that implements the predicate; empty if Mesa defines it.
  absl::string_view brought_by = {};
};

// Returns all predicates, sorted by name. Mesa's are from Mesa 25.0.7, src/compiler/nir/nir_search_helpers.h.
absl::Span<const PredicateInfo> AllPredicates();

// Returns the predicates that exist only in Mesa 26, sorted by name.
absl::Span<const PredicateInfo> PredicatesNewIn26();

// Returns the predicate called `name`, or null if neither Mesa 25.0.7 nor Mesa 26 has one.
const PredicateInfo* FindPredicate(absl::string_view name);

// Returns whether `name` is a flag of Mesa 26 that an op of a replacement may have.
bool IsPreserveFlag(absl::string_view name);

// Return whether a predicate, or a flag that rules write like a predicate, exists only in Mesa 26, or no longer exists
// there (nir_search_helpers.h of 26.2.0-rc1).
bool IsPredicateNewIn26(absl::string_view name);
bool IsPredicateGoneIn26(absl::string_view name);

// Returns whether `name` is a predicate of kind kConstant that describes floats. All other predicates of this kind
// describe integers.
bool IsFloatConstantPredicate(absl::string_view name);

// Returns whether `name` is a predicate that Mesa evaluates by range analysis.
bool IsRangePredicate(absl::string_view name);

inline constexpr absl::string_view kSharedWithOuter = "is_shared_with_outer";
inline constexpr absl::string_view kSharedWithSecondOuter = "is_shared_with_second_outer";
// On an op: holds if some user of its value, or of the value's negation or absolute value, is not an addition.
inline constexpr absl::string_view kNotOnlyUsedByFadd = "is_not_only_used_by_fadd";
// On an op: holds if the shader is a vertex or geometry shader that may compute its position from the op's value. The
// second predicate is the negation of the first.
inline constexpr absl::string_view kUsedForPosition = "is_used_for_position";
inline constexpr absl::string_view kNotUsedForPosition = "is_not_used_for_position";

// Marks in Node::predicates that are not predicates of Mesa.
inline constexpr absl::string_view kManyCommutative = "many-comm-expr";  // more than 8 commutative ops are intended
// Flags of Mesa 26: `contract` is a condition on a matched op; the others are bits that an op of the replacement gets.
inline constexpr absl::string_view kContract = "contract";
inline constexpr absl::string_view kPreserveSz = "preserve_sz";
inline constexpr absl::string_view kPreserveNanInf = "preserve_nan_inf";
inline constexpr absl::string_view kPreserveNanInfSz = "preserve_nan_inf_sz";
inline constexpr absl::string_view kIgnoreExact = "ignore_exact";  // ignores the `exact` flag of the instruction
// On a variable, in Mesa 26: predicates are stated at a use other than the first, and that use reads the variable as a
// signed integer.
inline constexpr absl::string_view kReadAsInt = "read_as_int";
inline constexpr absl::string_view kEitherZeroMark = "either_zero";  // a zero literal that matches both zeros

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_PREDICATES_H_
