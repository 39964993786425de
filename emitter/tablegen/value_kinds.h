// Determines from the ops which values of a search side LLVM treats as floats and which as integers.
#ifndef REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_
#define REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_

#include <cstddef>
#include <vector>

#include "ir/term.h"

namespace rewrought::emitter {

// Returns, for each node, whether its value is a float. An op determines the kind of its result, users determine the
// kind of a variable, and a move has the kind of the values that it moves. Values with fewer than 16 bits are integers.
std::vector<bool> FloatValues(const ir::Term& search);

// Returns whether the op `node`, whose result is a float if `is_float` is set, reads source `index` as a float.
bool ReadsFloat(const ir::Node& node, size_t index, bool is_float);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_
