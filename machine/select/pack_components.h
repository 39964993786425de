// Packs scalar values into registers with several components.
#ifndef REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_
#define REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_

#include "absl/status/status.h"
#include "machine/select/selection.h"

namespace rewrought::machine::select {

// Converts `selection` from scalar values (and vecN values built by moves) to vector registers. Operands of a vecN
// are computed directly in its register, which removes most of its moves. Values of the same vector of the shader
// share a register, and instructions that differ only in components are merged with a write mask and swizzles.
// Instructions that would need an unsupported swizzle stay separate. Run this before scheduling, on a machine with
// several components per register. Fails with InternalError if an instruction is not legal for any component.
absl::Status PackComponents(Selection* selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_
