// Converts a machine program to the result DAG of an LLVM pattern. The value of a register is the instruction that
// wrote it. A value with several uses is duplicated, and selection merges the equal nodes again.
#ifndef REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/dag.h"
#include "emitter/tablegen/definitions.h"
#include "machine/program.h"

namespace rewrought::emitter {

// Returns the DAG that computes `r` of a legal program, with type `result_type`. `components` is the number of
// components of a componentwise program; 1 on scalar machines. Adds the required records to `definitions`. Fails with
// FailedPrecondition if the DAG would exceed 4096 nodes or LLVM lacks a type.
absl::StatusOr<Dag> ProgramDag(const machine::Machine& machine, const machine::Program& program,
                               const std::string& result_type, int components, Definitions* definitions);

// Converts a DAG back to a legal program of `machine` with the same result. Register names and the order of
// instructions may differ. Fails with DataLoss if the DAG is not such a program.
absl::StatusOr<machine::Program> ProgramOfDag(const machine::Machine& machine, const Dag& dag);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
