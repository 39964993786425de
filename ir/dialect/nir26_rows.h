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

// Returns the rows of ops that exist only in Mesa 26 or have other operand sizes there.
const std::vector<OpRow>& NewIn26();

// Returns whether Mesa 26 no longer has the op `op` of 25.0.7.
bool IsGoneIn26(absl::string_view op);

// Returns the row of the op `name` of Mesa 26, or null if there is none. Ops that exist in both versions with the same
// operands have the row of FindOp (ir/op_table.h), even if RowIn26 defines another meaning.
const OpRow* FindOpIn26(absl::string_view name);

// Returns FindOpIn26 or FindOp.
OpResolver ResolverOf(Dialect dialect);

// Returns the row that defines `row` in Mesa 26: a changed row, or `row` itself. Rows that are not in the op table,
// such as the restatements of verifier/mesa, keep their meaning.
const OpRow& RowIn26(const OpRow& row);

// A float format for which NIR has no type: bfloat16, or an 8-bit format of the Open Compute Project. Ops declare its
// values as integers.
enum class SmallFloat : uint8_t { kNone, kBfloat16, kE4m3fn, kE5m2 };

// Returns the format of the op's result if the result is a float that NIR declares as an integer. The op's flags and
// its choice of a NaN refer to this format.
SmallFloat SmallFloatOf(const OpRow& row);

struct SmallFormat {
  int width;
  // The largest magnitude that is not a NaN: the infinity if the format has one, else the largest finite number.
  uint64_t largest;
  bool has_infinity;
  constexpr uint64_t sign() const { return uint64_t{1} << (width - 1); }
};

// `format` must not be kNone.
constexpr SmallFormat FormatOf(SmallFloat format) {
  return format == SmallFloat::kBfloat16 ? SmallFormat{16, 0x7f80, true}
         : format == SmallFloat::kE4m3fn ? SmallFormat{8, 0x7e, false}
                                         : SmallFormat{8, 0x7c, true};
}

constexpr bool IsNan(uint64_t bits, SmallFloat format) {
  return (bits & (FormatOf(format).sign() - 1)) > FormatOf(format).largest;
}

// Returns the flags (kNoSignedZero, kNoNan, kNoInf) that an instruction of the op may lack, that is, the flags whose
// preserve bit is valid for the op (valid_fp_math_ctrl in nir_opcodes.py). Instructions never carry other bits.
uint8_t FlagsOfOpIn26(const OpRow& row);

// Returns whether an instruction of the op may be exact, so that `~` and `contract` have an effect on it.
bool CanBeExactIn26(const OpRow& row);

// Returns whether the sign of a zero operand may affect more than the sign of a zero result. For other ops, applying
// nsz to the operands would permit nothing new, because nsz already permits either sign of a zero result.
bool ReadsSignOfZero(const OpRow& row);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_DIALECT_NIR26_ROWS_H_
