// The closed table of NIR's ALU ops. The rows are data in ir/ops/, one file per family. To add an op, add its row there
// and its known answers in ir/ops/known_answers/.
#ifndef REWROUGHT_IR_OP_TABLE_H_
#define REWROUGHT_IR_OP_TABLE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "ir/op_row.h"

namespace rewrought::ir {

// Returns all rows, sorted by name. The pointers are valid until the program ends.
const std::vector<const OpRow*>& AllOps();

// Returns whether `op` is a selection whose copied operands are floats in Mesa's op table but bits in this table:
// fcsel, fcsel_gt, fcsel_ge, and b32fcsel_mdg.
bool IsFloatSelection(absl::string_view op);

// Returns the type that Mesa's predicates assume for source `source` of the op (nir_op_infos).
BaseType TypeReadByPredicates(const OpRow& row, size_t source);

// Returns the row of the op `name`, or null if NIR has no such op.
const OpRow* FindOp(absl::string_view name);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_OP_TABLE_H_
