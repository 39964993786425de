// Integer ops on lanes packed in 32 bits: dot products and sums of absolute differences.
#ifndef REWROUGHT_IR_OPS_PACKED_INTEGER_H_
#define REWROUGHT_IR_OPS_PACKED_INTEGER_H_

#include <vector>

#include "ir/op_row.h"

namespace rewrought::ir::ops {

// Returns the rows, which are part of the family IntegerArithmetic.
std::vector<OpRow> PackedInteger();

}  // namespace rewrought::ir::ops

#endif  // REWROUGHT_IR_OPS_PACKED_INTEGER_H_
