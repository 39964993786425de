// The unsized conversions that rule text may name (`i2f`). A stand-in row represents such a conversion in an open rule,
// and a sized op replaces the stand-in when the size of the result is known.
#ifndef REWROUGHT_IR_TEXT_GENERIC_OPS_H_
#define REWROUGHT_IR_TEXT_GENERIC_OPS_H_

#include "absl/strings/string_view.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Looks up a row by name, like ir::FindOp; returns null if there is none.
using OpResolver = const OpRow* (*)(absl::string_view name);

// Returns the stand-in row called `name`, or null. The stand-ins are i2f u2f f2f f2u f2i u2u i2i b2f b2i (Mesa 25.0.7
// nir_algebraic.py, conv_opcode_types). The result and the source have independent sizes, although the row gives both
// sizes as 0. The row's `meaning` is empty.
const OpRow* FindGenericConversion(absl::string_view name);

bool IsGenericConversion(const OpRow* row);

// Returns the sized op for a result of `bits` bits, such as i2f32 for i2f and 32. Returns null if Mesa has no such op
// (floats have 16, 32 or 64 bits, integers 8, 16, 32 or 64) or if `find` does not know it.
const OpRow* SizedConversion(const OpRow* generic, int bits, OpResolver find);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_GENERIC_OPS_H_
