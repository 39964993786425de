// A selected shader: blocks of machine instructions over values, and opaque steps in their places; how a cover becomes
// one.
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

// A virtual register. Each is written by one step, or in parts by the steps of one tile.
struct SelectedValue {
  std::string name;      // as operands have it
  int bits = 0;          // of the value
  int units = 1;         // of the machine's first register file; 0: nothing holds it
  bool uniform = false;  // stands in a uniform register: takes none of the first file
  bool pinned = false;   // a use reads it
};

// One instruction, or one opaque step (a load, a store, a texture, a branch, an op that nothing covers).
struct Step {
  bool opaque = false;
  bool at_end = false;     // opaque: what the phis behind the block take from it
  bool ordered = false;    // opaque: keeps its place among others of these; inputs, which nothing writes, do not
  std::string what;        // opaque: what it stands for
  Instruction code;        // not opaque
  int tile = -1;           // index into Cover::tiles; -1: opaque, a load of a constant, a move of a uniform
  ir::NodeIndex node = 0;  // the tile's root, or the first node of the opaque value
  std::vector<ValueId> defines;
  std::vector<ir::NodeIndex> nodes;  // opaque: what `defines` are, one each
  std::vector<ValueId> sources;      // by source of `code`; kNoValue: an immediate
  std::vector<ValueId> reads;        // each once; also values written only in part
};

// Whether the step only brings a constant into a register, since an operand cannot hold it.
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
  std::vector<ValueId> value_of;  // by node; kNoValue: it stands nowhere
  // By node, after PackComponents: in which components of the register its own stand. Empty: values are scalars.
  std::vector<std::array<uint8_t, ir::kShaderComponents>> components_of;
  std::vector<SelectedBlock> blocks;  // in the order of the shader
  uint64_t coalesced = 0;             // moves left out because the value was computed where it is wanted
  uint64_t numbered = 0;              // instructions left out because an equal one stands before in the block
};

// Puts the cover's tiles into the shader's blocks in its order, with value numbering: of equal instructions of one
// block (loads of constants too) the first serves all. The shader's uses are opaque steps among them; they take
// constants as they are. On machines with components follows PackComponents. Opaque values are named once, where they
// stand; what reads them reads that name, never the place they came from.
// InternalError: a cover that reads what it does not give.
absl::StatusOr<Selection> Emit(const RuleSet& rules, ScalarShader scalar, Cover cover);

// How Scalarize takes a shader apart for the machine of `rules`; nothing: as for any scalar machine.
std::optional<VectorOptions> VectorOptionsOf(const RuleSet& rules);

// Scalarize, CoverShader, Emit and, on machines with components, PackComponents. Errors of these.
absl::StatusOr<Selection> SelectShader(const RuleSet& rules, const ir::Shader& shader, const CoverOptions& options);

// The text of a block's steps, one a line.
std::string PrintBlock(const Selection& selection, const SelectedBlock& block);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SELECTION_H_
