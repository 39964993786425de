// The closed table of NIR's ALU ops. Rows are data and live in ir/ops/, one file per family; adding an op is one row
// there and its known answers in ir/ops/known_answers/.
#ifndef REWROUGHT_IR_OP_TABLE_H_
#define REWROUGHT_IR_OP_TABLE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// All rows, sorted by name. The pointers live as long as the program.
const std::vector<const OpRow*>& AllOps();

// The row of NIR's op `name` ("fadd"), or null.
const OpRow* FindOp(absl::string_view name);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_OP_TABLE_H_
