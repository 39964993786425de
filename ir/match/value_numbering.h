// Equal values of a shader become one, where the first is there whenever the second is wanted.
#ifndef REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_
#define REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_

#include <cstddef>

#include "ir/shader.h"

namespace rewrought::ir {

// Lets what reads a value read the first one equal to it instead, and leaves the other without readers: constants, and
// ops of a block that the first one's dominates, however the operands of commutative ones stand. As in Mesa 25.0.7
// (nir_opt_cse.c, nir_instr_set.c) the first is exact then if one of them was, and permits what both permit. How many
// values lost their readers.
size_t NumberValues(Shader* shader);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_
