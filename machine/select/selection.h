// A selected shader: blocks of machine instructions over virtual registers, mixed with opaque steps. Also converts a
// cover to a selection.
#ifndef REWROUGHT_MACHINE_SELECT_SELECTION_H_
#define REWROUGHT_MACHINE_SELECT_SELECTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "machine/program.h"
#include "machine/select/cover.h"
#include "machine/select/scalar_shader.h"

namespace rewrought::machine::select {

using ValueId = int;
inline constexpr ValueId kNoValue = -1;

// A virtual register, which is written either by one step, or in parts by several steps of one tile.
struct SelectedValue {
  std::string name;
  int bits = 0;
  int units = 1;         // Units of the first register file, or 0 if the value is not in a register.
  bool uniform = false;  // Whether the value is in a uniform register.
  bool pinned = false;   // Whether an outside use reads the value.
};

// An instruction or an opaque step: a load, a store, a texture access, a branch, or an op without a tile.
struct Step {
  bool opaque = false;
  bool at_end = false;   // The opaque step reads phi operands at the end of the block.
  bool ordered = false;  // The opaque step is not an input and must not be reordered.
  std::string what;      // The opaque step's operation.
  Instruction code;      // Set unless the step is opaque.
  int tile = -1;  // An index into Cover::tiles, or -1 for opaque steps, loads of constants and moves of uniforms.
  ir::NodeIndex node = 0;  // The tile's root, or the opaque value's first node.
  std::vector<ValueId> defines;
  std::vector<ir::NodeIndex> nodes;  // The opaque step's nodes, parallel to `defines`.
  std::vector<ValueId> sources;      // The sources of `code`; kNoValue for an immediate.
  std::vector<ValueId> reads;        // Distinct; includes partly overwritten values.
};

// Returns true if the step only loads a constant that cannot be an immediate operand.
bool LoadsConstant(const Step& step);

struct SelectedBlock {
  int loop_depth = 0;
  std::vector<Step> steps;
};

struct Selection {
  const Machine* machine = nullptr;
  ScalarShader scalar;
  Cover cover;
  std::vector<SelectedValue> values;
  std::vector<ValueId> value_of;  // Indexed by node; kNoValue if not computed.
  // For each node, the register component that contains each of its components. Empty before PackComponents.
  std::vector<std::array<uint8_t, ir::kShaderComponents>> components_of;
  std::vector<SelectedBlock> blocks;  // Sorted in the shader's order.
  uint64_t coalesced = 0;             // Moves removed because the value is computed in the destination register.
  uint64_t numbered = 0;              // Instructions removed because the block already contains an equal one.
};

// Emits the cover's tiles into the shader's blocks, in the shader's order. Applies value numbering: the first of
// several equal instructions in a block, including loads of constants, replaces the others. The shader's uses become
// opaque steps, which read constants directly. On machines with several components per register, PackComponents must
// follow. An opaque value is loaded once, where it occurs; its readers never load it again. Fails with InternalError if
// a tile reads a value that the cover does not compute.
absl::StatusOr<Selection> Emit(const RuleSet& rules, ScalarShader scalar, Cover cover);

// Returns the options for Scalarize on the machine of `rules`, or nullopt for a scalar machine.
std::optional<VectorOptions> VectorOptionsOf(const RuleSet& rules);

// Runs Scalarize, CoverShader, Emit and, on machines with several components per register, PackComponents. Returns
// the first error.
absl::StatusOr<Selection> SelectShader(const RuleSet& rules, const ir::Shader& shader, const CoverOptions& options);

// Prints one step per line.
std::string PrintBlock(const Selection& selection, const SelectedBlock& block);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SELECTION_H_
