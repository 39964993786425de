// Base selection: the instructions that a driver selects for a term without any discovered rule. There are two kinds,
// and savings are reported relative to each of them (machine/README.md).
#ifndef REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_
#define REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/cost.h"
#include "machine/program.h"

namespace rewrought::machine {

enum class BaseKind : uint8_t {
  // Uses one base rule per op, and loads each constant into a register once.
  kNaive,
  // Folds modifiers, saturation, size conversions, and immediates, and folds compares into selects. Contracts
  // multiply-adds if no matched node is exact.
  kTuned,
};

// Returns the legal program that base selection of `kind` produces for a scalar term with fixed sizes. The program's
// variables are those of the term. Fails with Unimplemented, naming the op or shape, if the term contains vectors or
// the machine's base rules do not cover it. Fails with InvalidArgument if a base rule of the description is invalid.
absl::StatusOr<Program> BaseProgram(const Machine& machine, const ir::Term& term, BaseKind kind);

// Returns the cost of BaseProgram, or its error.
absl::StatusOr<Cost> BaseCost(const Machine& machine, const ir::Term& term, BaseKind kind);

// Returns true if a base rule turns a `bits`-wide `fadd(fmul a b) c` without exact nodes into a single instruction
// that rounds once. Returns false if the base rules do not parse.
bool FusesProducts(const Machine& machine, int bits);

// Parses all base rules and resolve programs of `machine`, and checks that they are legal.
absl::Status CheckBaseRules(const Machine& machine);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_
