// The predicates that Mesa's search helpers define, and those that packs bring, by name and kind: what rule text may
// say in parentheses.
#ifndef REWROUGHT_IR_TEXT_PREDICATES_H_
#define REWROUGHT_IR_TEXT_PREDICATES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace rewrought::ir {

enum class PredicateKind : uint8_t {
  kConstant,    // of a variable: true only of constants, by their value
  kRange,       // of a variable: by range analysis
  kStructural,  // of a variable: about the instruction behind it; says nothing about the value
  kExpression,  // of an op: about its users, or (no_signed_wrap) marks on the instruction
  // Of a variable: that it and the other source of the instruction one or two on are leaves of several chains of the
  // op, and of more than it and its neighbour are (corpus/chains.h). Says nothing about the value.
  kSharing,
};

struct PredicateInfo {
  absl::string_view name;
  PredicateKind kind;
  absl::string_view brought_by = {};  // the file of emitter/nir that goes with a rule that asks it; empty: it is Mesa's
};

// All predicates, sorted by name. Source of Mesa's: Mesa 25.0.7, src/compiler/nir/nir_search_helpers.h.
absl::Span<const PredicateInfo> AllPredicates();

// The predicate called `name`, or null.
const PredicateInfo* FindPredicate(absl::string_view name);

inline constexpr absl::string_view kSharedWithOuter = "is_shared_with_outer";
inline constexpr absl::string_view kSharedWithSecondOuter = "is_shared_with_second_outer";
// Of an op: not all that read its value, or the negation or absolute value of it, are additions.
inline constexpr absl::string_view kNotOnlyUsedByFadd = "is_not_only_used_by_fadd";
// Of an op: a vertex or geometry shader computes its position from the value, as far as can be told; or that it is
// known not to.
inline constexpr absl::string_view kUsedForPosition = "is_used_for_position";
inline constexpr absl::string_view kNotUsedForPosition = "is_not_used_for_position";

// Marks that stand among an op's conditions and are no predicates of Mesa's: Node::predicates holds them as well.
inline constexpr absl::string_view kManyCommutative = "many-comm-expr";  // more than 8 commutative ops are meant
inline constexpr absl::string_view kIgnoreExact = "ignore_exact";        // this node's `exact` does not count
inline constexpr absl::string_view kEitherZeroMark = "either_zero";      // a zero literal that matches both zeros

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_PREDICATES_H_
