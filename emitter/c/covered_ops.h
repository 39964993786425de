// Writes covered.h of the `c` format, which lists the ops and sizes that the tables select. If a driver includes
// covered.h and passes to selection an op that the tables do not select, the driver's build fails with an error that
// names the op. The export fails if the tables do not select an op that the description lists as covered.
#ifndef REWROUGHT_EMITTER_C_COVERED_OPS_H_
#define REWROUGHT_EMITTER_C_COVERED_OPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/c/c_tables.h"
#include "ir/op_row.h"
#include "machine/machine.h"

namespace rewrought::emitter {

// Returns whether a base rule selects the op at `size` (machine::SizesOf) for all sources. For extract_* and insert_*,
// whose second source is a literal, it is enough that a base rule selects the op for one literal.
bool TablesCover(const CTables& tables, const ir::OpRow& row, int size);

// Returns the text of covered.h. Fails with FailedPrecondition, listing ops, sizes, and the remedy, if ops that the
// description lists as covered have no rule in `tables`.
absl::StatusOr<std::string> PrintCoveredOps(const CTables& tables, const machine::Machine& machine);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_C_COVERED_OPS_H_
