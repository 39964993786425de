// A machine program as the result DAG of an LLVM pattern: each register's value is the instruction that wrote it, and a
// value that is read twice stands twice (selection makes equal nodes one again).
#ifndef REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
#define REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_

#include <string>

#include "absl/status/statusor.h"
#include "emitter/tablegen/dag.h"
#include "emitter/tablegen/definitions.h"
#include "machine/program.h"

namespace rewrought::emitter {

// The DAG that gives `r` of a legal program, typed `result_type`. `components`: for how many a program that says
// nothing of components stands; 1 on scalar machines. Records that it needs go to `definitions`. FailedPrecondition for
// what has no DAG: more than 4096 nodes, types that LLVM lacks.
absl::StatusOr<Dag> ProgramDag(const machine::Machine& machine, const machine::Program& program,
                               const std::string& result_type, int components, Definitions* definitions);

// The inverse: a legal program of `machine` with the same result; names of registers and the order of instructions may
// differ. DataLoss for a DAG that is no such program.
absl::StatusOr<machine::Program> ProgramOfDag(const machine::Machine& machine, const Dag& dag);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TABLEGEN_PROGRAM_DAG_H_
