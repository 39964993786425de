// The search side of a rule as the source DAG of an LLVM pattern. NIR's values have no type but a size; here each is a
// float or an integer, as its ops say, and `bitconvert` stands where an op reads the one as the other.
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

// What the names in source DAGs stand for.
struct SearchNames {
  std::map<std::string, ir::Node> ops;     // "nir_fadd_nsz": op, flags, predicates
  std::map<std::string, ir::Node> leaves;  // "is_a_number_f32", "f32_0x3f800000": a variable's conditions, a constant
};

// Whether every op of `search` acts on each component by itself, so that it stands for any number of them.
bool IsPerComponent(const ir::Term& search);

// The DAG of `search`, whose sizes and components are known and whose literals are patterns (ir::Instantiate), for
// values of `components` times as many components. `uniform`: variables that the program reads from uniform registers.
// Records go to `definitions`, their meaning to `names`. FailedPrecondition for what a pattern cannot say: swizzles,
// vectors of constants, `~`, `!` and ignore_exact, two things of one name, types that LLVM lacks.
absl::StatusOr<Dag> SearchDag(const ir::Term& search, int components, const std::set<std::string>& uniform,
                              Definitions* definitions, SearchNames* names);

// Whether `dag`, read by `names`, is `search` at `components`; DataLoss says what differs.
absl::Status CompareSearch(const Dag& dag, const ir::Term& search, const SearchNames& names);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_SEARCH_DAG_H_
