// covered.h of the `c` format: which ops the tables select at which sizes, in a form by which a driver's own build
// fails, with the op's name, for what it hands over and the tables lack. What the tables should cover and do not is an
// error of the export.
#ifndef REWROUGHT_EMITTER_C_COVERED_OPS_H_
#define REWROUGHT_EMITTER_C_COVERED_OPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/c/c_tables.h"
#include "ir/op_row.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Whether a rule of the machine's own selects the op by itself at `size` (machine::SizesOf), whatever its sources are;
// of extract_* and insert_*, whose second source is a literal, for some literal.
bool TablesCover(const CTables& tables, const ir::OpRow& row, int size);

// The text of covered.h. FailedPrecondition names each op, with size and remedy, that the description says is covered
// and that has no rule in `tables`.
absl::StatusOr<std::string> PrintCoveredOps(const CTables& tables, const machine::Machine& machine);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_COVERED_OPS_H_
