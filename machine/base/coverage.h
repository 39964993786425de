// Checks coverage: for each IR op that a machine's driver may pass to selection, there must be a base program, or the
// description must state how the op is handled. An unhandled op is an error that names the machine, the op, its size
// and a remedy.
#ifndef REWROUGHT_MACHINE_BASE_COVERAGE_H_
#define REWROUGHT_MACHINE_BASE_COVERAGE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/op_row.h"
#include "machine/machine.h"

namespace rewrought::machine {

// An IR op's name, with the size of its free operands, or of its first source if no size is free.
using OpAtSize = std::pair<std::string, int>;

// Returns the op's name with its size, such as "fadd of 32 bits".
std::string NameOf(const OpAtSize& op);

// Returns the sizes of `row` in ascending order.
std::vector<int> SizesOf(const ir::OpRow& row);

// Returns the number of values of the second source of extract_* and insert_*, which NIR requires to be a literal. It
// is the number of parts in `size` bits, or 0 for other ops.
int LiteralIndices(const ir::OpRow& row, int size);

// Returns true if base selection of `machine` has a program for the op with any sources. For an op across components
// there must be a base rule of that op. For extract_* and insert_* there must be a program for each literal second
// source.
bool HasBaseProgram(const Machine& machine, const ir::OpRow& row, int size);

// Classifies the ops that some machine's driver passes to selection or that some machine has a base rule for. The
// lists are sorted and have no duplicates.
struct Coverage {
  std::vector<OpAtSize> covered;  // Passed to selection, with a base program.
  std::vector<OpAtSize> outside;  // Passed to selection, which emits no ALU instruction for the op.
  std::vector<OpAtSize> missing;  // Passed to selection without a base program, according to the description.
  std::vector<OpAtSize> lowered;  // Never passed to selection.
  // One message for each inconsistent op: it has no entry or two entries, is marked TAKEN without a program or
  // MISSING with one, is unknown, or does not have the stated size.
  std::vector<std::string> errors;
};

// Checks `machine` against its own ops and those of the drivers of `others`, except for ops that are specific to
// another back end (v1::Coverage.own_ops). `others` may contain `machine`.
Coverage CoverageOf(const Machine& machine, const std::vector<const Machine*>& others);

// Fails with InvalidArgument and all errors, one per line, if there are any.
absl::Status CheckCoverage(const Machine& machine, const std::vector<const Machine*>& others);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_COVERAGE_H_
