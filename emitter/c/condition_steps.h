// Predicates of constants as steps that the runtime of the `c` format carries out.
#ifndef REWROUGHT_EMITTER_C_CONDITION_STEPS_H_
#define REWROUGHT_EMITTER_C_CONDITION_STEPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "emitter/c/table_builder.h"
#include "ir/dag.h"
#include "ir/op_row.h"

namespace rewrought::emitter {

// The steps whose last gives the value `root` of `dag`. Its inputs are numbered as the rule's variables, but for one
// called "a", the value at hand. Unimplemented names a primitive that has no step, or says that there are more than
// RW_STEPS. None: the value at hand itself.
absl::StatusOr<std::vector<rw_step>> StepsOf(const ir::Dag& dag, ir::ValueIndex root, TableBuilder* builder);

// The condition `predicate` of a value of `bits`, read as `base`. Errors as StepsOf, with the predicate's name.
absl::StatusOr<rw_condition> ConditionOf(const std::string& predicate, int bits, ir::BaseType base,
                                         TableBuilder* builder);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_CONDITION_STEPS_H_
