// Lists the predicates that Rewrought knows, in both dialects, with the meanings that it assigns to them.
#ifndef REWROUGHT_TESTS_MESA_PREDICATES_PREDICATE_ROWS_H_
#define REWROUGHT_TESTS_MESA_PREDICATES_PREDICATE_ROWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dag.h"
#include "ir/dialect/dialect.h"
#include "ir/op_row.h"
#include "ir/text/predicates.h"

namespace rewrought {

// A predicate in one dialect, for the types of operands for which it has the same meaning.
struct PredicateRow {
  std::string name;
  ir::Dialect dialect = ir::Dialect::kNir25;
  ir::PredicateKind kind = ir::PredicateKind::kConstant;
  std::vector<ir::BaseType> types;  // empty if the predicate is on an op, or promises nothing about any type
  std::string meaning;              // in the language of docs/primitives.md, or words; empty if there is none
};

inline constexpr ir::BaseType kBaseTypes[] = {ir::BaseType::kFloat, ir::BaseType::kInt, ir::BaseType::kUint,
                                              ir::BaseType::kBool};

// Returns the name of a type: "float", "int", "uint", or "bool".
absl::string_view NameOf(ir::BaseType type);

// Returns the first five columns of docs/results/predicates.tsv, separated by tabs.
std::string TextOf(const PredicateRow& row);

// Returns the rows of all predicates of Mesa, sorted by dialect and name.
std::vector<PredicateRow> KnownPredicateRows();

// Returns the meaning of a predicate of one component, or "" if there is none. Unlike the functions of ir/, includes
// the meaning that verifier/rule_case.cc gives to is_not_const_zero on a constant.
std::string MeaningTextOf(ir::Dialect dialect, absl::string_view predicate, ir::BaseType type);

// The preserve bits of the instruction that reads a value, in Mesa 26.
struct ReaderFlags {
  bool preserves_inf = true, preserves_nan = true;
};

// Builds the Boolean value that MeaningTextOf describes. Fails with InvalidArgument if the predicate does not fit the
// value's width.
absl::StatusOr<ir::ValueIndex> BuildPredicate(ir::Dag* dag, ir::Dialect dialect, absl::string_view predicate,
                                              ir::ValueIndex value, ir::BaseType type, ReaderFlags flags);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_MESA_PREDICATES_PREDICATE_ROWS_H_
