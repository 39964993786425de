// Converts a machine program to the result DAG of an LLVM pattern. In the DAG, the instruction that wrote a register
// replaces each read of the register. Values with several uses are thus duplicated; selection merges equal nodes again.
#ifndef REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/dag.h"
#include "emitter/tablegen/definitions.h"
#include "machine/program.h"

namespace rewrought::emitter {

// Returns the DAG that computes the result `r` of a legal program as a value of `result_type`. `components` is the
// number of components of a componentwise program; it is 1 on scalar machines. Adds records to `definitions`. Fails
// with FailedPrecondition if the DAG would have more than 4096 nodes or if LLVM lacks a type.
absl::StatusOr<Dag> ProgramDag(const machine::Machine& machine, const machine::Program& program,
                               const std::string& result_type, int components, Definitions* definitions);

// Converts a DAG back to a legal program with the same result; register names and the order of instructions may differ.
// Fails with DataLoss if the DAG does not represent such a program.
absl::StatusOr<machine::Program> ProgramOfDag(const machine::Machine& machine, const Dag& dag);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
