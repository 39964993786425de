// Merges equal values of a shader if the block of the first value dominates the blocks of the others.
#ifndef REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_
#define REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_

#include <cstddef>

#include "ir/shader.h"

namespace rewrought::ir {

// Replaces all uses of a value with uses of the first equal value, and returns the number of values that lost all their
// uses. Handles constants, and ops whose block is dominated by the block of the first op. Ignores the operand order of
// commutative ops. As in Mesa 25.0.7 (nir_opt_cse.c, nir_instr_set.c), the first value becomes exact if any of the
// merged values was exact, and keeps only the fast-math flags that all of them have.
size_t NumberValues(Shader* shader);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_MATCH_VALUE_NUMBERING_H_
