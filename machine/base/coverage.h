// Coverage as a promise: each op of the IR that a machine's driver may hand over has a base program, or its description
// says by name what becomes of it. What no description places is an error that names machine, op, size and remedy.
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

// An op of the IR by name, and the size of its free operands, or of its first source where no size is free.
using OpAtSize = std::pair<std::string, int>;

// "fadd of 32 bits".
std::string NameOf(const OpAtSize& op);

// The sizes that `row` exists at, ascending.
std::vector<int> SizesOf(const ir::OpRow& row);

// How many values the second source of extract_* and insert_* may have, a literal by NIR's definition: parts of `size`.
// 0: the op has no such source.
int LiteralIndices(const ir::OpRow& row, int size);

// Whether base selection of `machine` has a program for the op by itself, whatever its sources are: for an op across
// components a base rule of that op, for extract_* and insert_*, whose second source is a literal, one for each index.
bool HasBaseProgram(const Machine& machine, const ir::OpRow& row, int size);

// What becomes of each op that some machine's driver hands over or that some machine has a base rule for. The lists
// hold each op once, sorted.
struct Coverage {
  std::vector<OpAtSize> covered;  // handed over, with a base program
  std::vector<OpAtSize> outside;  // handed over; the driver does it by itself
  std::vector<OpAtSize> missing;  // handed over, without a base program: the description says so
  std::vector<OpAtSize> lowered;  // never handed over
  // One message for each op that breaks the promise: placed nowhere or twice, said to be taken without a program, said
  // to be missing with one, unknown, or at a size that it does not have.
  std::vector<std::string> errors;
};

// `machine` beside `others`, whose drivers' ops it must place, too; ops that belong to another back end alone
// (v1::Coverage.own_ops) excepted. `machine` may be among the others.
Coverage CoverageOf(const Machine& machine, const std::vector<const Machine*>& others);

// OK, or InvalidArgument with all errors, one a line.
absl::Status CheckCoverage(const Machine& machine, const std::vector<const Machine*>& others);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_COVERAGE_H_
