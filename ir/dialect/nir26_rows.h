// The rows of ops that Mesa 26 adds or whose meaning it changes, and the flags that its instructions may carry. File
// names and lines refer to Mesa 26.2.0-rc1, src/compiler/nir.
#ifndef REWROUGHT_IR_DIALECT_NIR26_ROWS_H_
#define REWROUGHT_IR_DIALECT_NIR26_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/dialect/dialect.h"
#include "ir/op_row.h"
#include "ir/text/generic_ops.h"

namespace rewrought::ir {

// Returns the rows of ops that exist only in Mesa 26.
const std::vector<OpRow>& NewIn26();

// Returns whether Mesa 26 has no op of this name although 25.0.7 has it.
bool IsGoneIn26(absl::string_view op);

// Returns the row of the op `name` of Mesa 26, or null if there is none. Rows that exist in both versions are those of
// FindOp (ir/op_table.h), even if RowIn26 defines another meaning.
const OpRow* FindOpIn26(absl::string_view name);

// Returns FindOpIn26 or FindOp.
OpResolver ResolverOf(Dialect dialect);

// Returns the row that defines `row` in Mesa 26: a changed row, or `row` itself. Rows that are not in the op table,
// such as the restatements of verifier/mesa, keep their meaning.
const OpRow& RowIn26(const OpRow& row);

// Returns the flags (kNoSignedZero, kNoNan, kNoInf) that an instruction of the op may lack, that is, the flags whose
// preserve bit is valid for the op (valid_fp_math_ctrl in nir_opcodes.py). Instructions never carry other bits.
uint8_t FlagsOfOpIn26(const OpRow& row);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_NIR26_ROWS_H_
