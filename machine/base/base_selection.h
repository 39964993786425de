// Base selection: the instructions that a driver gives a term without any discovered rule. The two baselines against
// which gains are shown (machine/README.md).
#ifndef REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_
#define REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_

#include "absl/status/statusor.h"
#include "ir/term.h"
#include "machine/cost.h"
#include "machine/program.h"

namespace rewrought::machine {

enum class BaseKind : uint8_t {
  kNaive,  // the base rule of each op by itself; every constant is loaded into a register, once
  kTuned,  // modifiers, saturation, size conversions and immediates folded, compares with selects, and contraction
           // where no matched node is exact
};

// The program that `kind` of base selection gives the scalar term, whose sizes must be fixed; its variables are the
// term's. The result is legal. Unimplemented names the op or the shape that the machine's base rules do not cover;
// vectors are not covered. InvalidArgument when a base rule of the description is broken.
absl::StatusOr<Program> BaseProgram(const Machine& machine, const ir::Term& term, BaseKind kind);

// The cost of BaseProgram; same errors.
absl::StatusOr<Cost> BaseCost(const Machine& machine, const ir::Term& term, BaseKind kind);

// Whether the driver makes `fadd(fmul a b) c` of `bits` bits one instruction that rounds once, where no matched node is
// exact: a base rule of the description says so. False, too, where base rules do not parse.
bool FusesProducts(const Machine& machine, int bits);

// Parses all base rules and resolve patterns of `machine` and checks that their programs are legal.
absl::Status CheckBaseRules(const Machine& machine);

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_BASE_BASE_SELECTION_H_
