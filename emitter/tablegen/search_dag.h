// Converts the search side of a rule to the source DAG of an LLVM pattern. NIR's values have no type. In the DAG, each
// value is a float or an integer according to its ops, and a `bitconvert` marks each use as the other type.
#ifndef REWROUGHT_EMITTER_TABLEGEN_SEARCH_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_SEARCH_DAG_H_

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/dag.h"
#include "emitter/tablegen/definitions.h"
#include "ir/term.h"

namespace rewrought::emitter {

// The meaning of names in source DAGs.
struct SearchNames {
  std::map<std::string, ir::Node> ops;  // For example "nir_fadd_nsz", with its op, flags, and predicates.
  // For example, "is_a_number_f32", which checks a variable's conditions, or the constant "f32_0x3f800000".
  std::map<std::string, ir::Node> leaves;
};

// Returns whether every op of `search` acts on each component separately.
bool IsPerComponent(const ir::Term& search);

// Returns the DAG of `search` for values with `components` times as many components. Sizes and components must be
// known, and literals must be bit patterns (ir::Instantiate). The program reads the variables `uniform` from uniform
// registers. Adds records to `definitions` and their meanings to `names`. Fails with FailedPrecondition if `search`
// contains anything that a pattern cannot express: swizzles, vectors of constants, `~`, `!`, ignore_exact, ambiguous
// names, or types that LLVM lacks.
absl::StatusOr<Dag> SearchDag(const ir::Term& search, int components, const std::set<std::string>& uniform,
                              Definitions* definitions, SearchNames* names);

// Checks that `dag` represents `search` if its names have the meaning in `names`. Fails with DataLoss, naming the
// difference.
absl::Status CompareSearch(const Dag& dag, const ir::Term& search, const SearchNames& names);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_SEARCH_DAG_H_
