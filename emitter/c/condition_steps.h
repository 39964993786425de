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

// Returns steps of which the last computes the value `root` of `dag`; empty if `root` is the tested constant itself.
// Inputs are named by variable number, except for "a", the tested constant. Fails with Unimplemented for a primitive
// without a step and for more than RW_STEPS steps.
absl::StatusOr<std::vector<rw_step>> StepsOf(const ir::Dag& dag, ir::ValueIndex root, TableBuilder* builder);

// Returns the condition `predicate` for a value of `bits` that is read as `base`. Fails like StepsOf.
absl::StatusOr<rw_condition> ConditionOf(const std::string& predicate, int bits, ir::BaseType base,
                                         TableBuilder* builder);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_CONDITION_STEPS_H_
