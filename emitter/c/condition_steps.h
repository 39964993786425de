// Compiles predicates on constants to steps of the `c` format's runtime.
#ifndef REWROUGHT_EMITTER_C_CONDITION_STEPS_H_
#define REWROUGHT_EMITTER_C_CONDITION_STEPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/c/table_builder.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::emitter {

// Returns steps, the last of which computes the value `root` of `dag`. Returns no steps if `root` is the tested
// constant itself. The inputs of `dag` are "a" (the tested constant) and variables, which are named by their numbers.
// Fails with Unimplemented if a primitive has no step or if there would be more than RW_STEPS steps.
absl::StatusOr<std::vector<rw_step>> StepsOf(const ir::Dag& dag, ir::ValueIndex root, TableBuilder* builder);

// Returns the condition that tests `predicate` on a value of `bits` bits that is read as type `base`. Returns any error
// of StepsOf.
absl::StatusOr<rw_condition> ConditionOf(const std::string& predicate, int bits, ir::BaseType base,
                                         TableBuilder* builder);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_CONDITION_STEPS_H_
