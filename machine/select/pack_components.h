// On machines whose registers have several components: puts scalar values into them.
#ifndef REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_
#define REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_

#include "absl/status/status.h"
#include "machine/select/selection.h"

namespace rewrought::machine::select {

// Turns `selection`, in which every value is a scalar (or a vecN that moves put together), into one over registers of
// components. Values that a vecN joins are computed where it wants them, so that most of its moves go; values of one
// vector of the shader share a register, and instructions that differ in nothing but components become one with a write
// mask and swizzles. What the swizzles of the machine do not allow stays apart. Before scheduling; the machine must
// have components. InternalError: an instruction that is legal for no component.
absl::Status PackComponents(Selection* selection);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_PACK_COMPONENTS_H_
