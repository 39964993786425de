// Checks that each IR op that a machine's driver may pass to selection has a base program, or that the description
// states how the op is handled. Errors name the machine, the op, its size and a remedy.
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

// An IR op's name and its free size, or the size of its first source if no size is free.
using OpAtSize = std::pair<std::string, int>;

// Returns a string such as "fadd of 32 bits".
std::string NameOf(const OpAtSize& op);

// Returns the row's sizes in ascending order.
std::vector<int> SizesOf(const ir::OpRow& row);

// Returns the number of literals that are possible as the second source of extract_* and insert_*, that is, the number
// of parts in `size` bits. Returns 0 for other ops.
int LiteralIndices(const ir::OpRow& row, int size);

// Returns true if base selection has a program for the op with any sources. A cross-component op needs a base rule for
// exactly this op. extract_* and insert_* need a program for each literal second source.
bool HasBaseProgram(const Machine& machine, const ir::OpRow& row, int size);

// Classifies the ops that some machine's driver passes to selection or for which some machine has a base rule. The
// lists are sorted and have no duplicates.
struct Coverage {
  std::vector<OpAtSize> covered;  // Passed to selection, with a base program.
  std::vector<OpAtSize> outside;  // Passed to selection, which emits no ALU instruction.
  std::vector<OpAtSize> missing;  // Passed to selection, without a base program.
  std::vector<OpAtSize> lowered;  // Never passed to selection.
  // One message per inconsistent op. An op is inconsistent if it has no entry or two entries, is TAKEN without a
  // program or MISSING with one, is unknown, or does not have the stated size.
  std::vector<std::string> errors;
};

// Checks `machine` against its own ops and those of the drivers of `others`, except for ops that are specific to
// another back end (v1::Coverage.own_ops). `others` may contain `machine`.
Coverage CoverageOf(const Machine& machine, const std::vector<const Machine*>& others);

// Returns OK if CoverageOf finds no errors, and otherwise InvalidArgument with all errors, one per line.
absl::Status CheckCoverage(const Machine& machine, const std::vector<const Machine*>& others);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_COVERAGE_H_
