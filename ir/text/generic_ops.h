// The conversions without a size that rule text may name (`i2f`): stand-in rows for open rules, and the sized op that
// each becomes once its result's size is known.
#ifndef REWROUGHT_IR_TEXT_GENERIC_OPS_H_
#define REWROUGHT_IR_TEXT_GENERIC_OPS_H_

#include "absl/strings/string_view.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Looks a row up by name; null if there is none. ir::FindOp is one.
using OpResolver = const OpRow* (*)(absl::string_view name);

// The stand-in row called `name`, or null: one of i2f u2f f2f f2u f2i u2u i2i b2f b2i (Mesa 25.0.7 nir_algebraic.py,
// conv_opcode_types). Their result and their source have sizes of their own, though both say 0, and their meaning is
// empty.
const OpRow* FindGenericConversion(absl::string_view name);

// Whether `row` is one of the stand-ins.
bool IsGenericConversion(const OpRow* row);

// The sized op for a result of `bits`: i2f and 32 give i2f32. Null where Mesa has none (floats 16 32 64, integers
// 8 16 32 64) or `find` does not know it.
const OpRow* SizedConversion(const OpRow* generic, int bits, OpResolver find);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_GENERIC_OPS_H_
