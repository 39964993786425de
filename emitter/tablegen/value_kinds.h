// Which values of a search are floats to LLVM and which are integers: NIR does not say, its ops do.
#ifndef REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_
#define REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_

#include <cstddef>
#include <vector>

#include "ir/term.h"

namespace rewrought::emitter {

// By node, whether its value is a float: what an op gives, what reads a variable; an op that moves values of any kind
// is of the kind that it moves. Values of less than 16 bits are integers.
std::vector<bool> FloatValues(const ir::Term& search);

// Whether op `node`, whose value is a float or not, reads source `index` as a float.
bool ReadsFloat(const ir::Node& node, size_t index, bool is_float);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_VALUE_KINDS_H_
