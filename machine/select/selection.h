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

// A virtual register, written by one step or in parts by the steps of one tile.
struct SelectedValue {
  std::string name;      // The name in operands.
  int bits = 0;          // The width of the value.
  int units = 1;         // The size in units of the machine's first register file; 0: not in a register.
  bool uniform = false;  // In a uniform register, and not in the first register file.
  bool pinned = false;   // Read by an outside use.
};

// An instruction or an opaque step: a load, a store, a texture access, a branch, or an op without a tile.
struct Step {
  bool opaque = false;
  bool at_end = false;  // Opaque steps: reads the phi operands at the end of the block.
  bool ordered =
      false;  // Opaque steps: has side effects or reads mutable state, so its order matters; inputs are not ordered.
  std::string what;        // Opaque steps: the name of the operation.
  Instruction code;        // Set unless the step is opaque.
  int tile = -1;           // An index into Cover::tiles; -1: opaque, a load of a constant, or a move of a uniform.
  ir::NodeIndex node = 0;  // The tile's root, or the opaque value's first node.
  std::vector<ValueId> defines;
  std::vector<ir::NodeIndex> nodes;  // Opaque steps: the nodes of `defines`, one each.
  std::vector<ValueId> sources;      // By source of `code`; kNoValue: an immediate.
  std::vector<ValueId> reads;        // Distinct values, including values that are only partly overwritten.
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
  std::vector<ValueId> value_of;  // By node; kNoValue: not computed.
  // By node, set by PackComponents: the register component of each of the node's components. Empty if values are
  // scalar.
  std::vector<std::array<uint8_t, ir::kShaderComponents>> components_of;
  std::vector<SelectedBlock> blocks;  // In the shader's order.
  uint64_t coalesced = 0;             // Moves removed because the value is computed in the destination register.
  uint64_t numbered = 0;              // Instructions removed because the block already contains an equal one.
};

// Emits the cover's tiles into the shader's blocks, in the shader's order, with value numbering: the first of several
// equal instructions in a block, including loads of constants, serves all of them. The shader's uses become opaque
// steps, which read constants directly. On machines with several components per register, run PackComponents next.
// Each opaque value has one name, defined where the value occurs; readers use that name and never reload the value
// from its origin. Fails with InternalError if a tile reads a value that the cover does not compute.
absl::StatusOr<Selection> Emit(const RuleSet& rules, ScalarShader scalar, Cover cover);

// Returns the options for Scalarize on the machine of `rules`, or nullopt for a scalar machine.
std::optional<VectorOptions> VectorOptionsOf(const RuleSet& rules);

// Runs Scalarize, CoverShader, Emit and, on machines with several components per register, PackComponents. Returns
// the first error.
absl::StatusOr<Selection> SelectShader(const RuleSet& rules, const ir::Shader& shader, const CoverOptions& options);

// Returns the text of the block's steps, one per line.
std::string PrintBlock(const Selection& selection, const SelectedBlock& block);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SELECTION_H_
