// Builds an ir::Shader node by node for the readers. It checks each op against its row, merges equal constants and
// equal ops within a block, and represents values as lanes. Moves and vectors therefore only route lanes and need no
// nodes.
#ifndef REWROUGHT_CORPUS_SHADER_BUILDER_H_
#define REWROUGHT_CORPUS_SHADER_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::corpus {

using Lane = ir::ShaderLane;
using Lanes = std::vector<Lane>;

// The flags nsz, nnan, and ninf, which are the permissions of a float node if no mode preserves zero signs, NaNs, or
// infinities.
inline constexpr uint8_t kAllFastMath = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

class ShaderBuilder {
 public:
  // The maximum number of nodes. If it is reached, every Add function fails with ResourceExhausted. The limit guards
  // against hostile input in which vectors and matrices expand to many nodes.
  static constexpr size_t kMaxNodes = 1u << 20;

  ShaderBuilder(absl::string_view name, absl::string_view source, absl::string_view stage);

  // Opens a block at `loop_depth` (0 outside of loops) and returns its number. Later nodes and uses belong to this
  // block. The first call reuses the initial block if it is empty.
  uint32_t BeginBlock(int loop_depth);

  // Adds an edge of the control flow graph. If there are no edges, no block dominates another.
  void AddEdge(uint32_t from, uint32_t to) { edges_.emplace_back(from, to); }

  // Sets the source line of the nodes that are added from now on. 0 means that the line is unknown.
  void set_line(int line) { line_ = line; }

  // Adds a constant with `values.size()` components (1 to 4) of `bits` bits each, or returns an existing constant that
  // is equal. Values are truncated to `bits` bits.
  ir::NodeIndex AddConstant(uint8_t bits, const std::vector<uint64_t>& values);

  // Adds a variable; `opaque` describes its source. A variable of more than 4 components is split into several nodes.
  Lanes AddVariable(uint8_t bits, int components, absl::string_view opaque, bool uniform);

  // Adds an op with `components` components and result size `bits`. `sources` has one Lanes for each operand, each with
  // the number of lanes that the row requires (a fixed number, or `components`). The flags nsz, nnan, and ninf are
  // stored only if an operand or the result is a float. An operand that combines several nodes becomes a vecN node.
  // Fails with NotFound if the op has no row, and with InvalidArgument if the number or size of the operands does not
  // match the row.
  absl::StatusOr<ir::NodeIndex> AddOp(absl::string_view op, uint8_t bits, int components,
                                      const std::vector<Lanes>& sources, uint8_t flags);

  // Adds a use (ir::ShaderUse) at the current position: an operation that reads values but is not an ALU op. Returns
  // the number of the use. Read and Give may be called at any later time, but Read ignores lanes that were created
  // after the use, and Give ignores lanes that were created before it. A use that reads nothing is dropped.
  size_t AddUse(absl::string_view what);
  void Read(size_t use, const Lanes& lanes);
  void Give(size_t use, const Lanes& lanes);
  // Records that phis read `lanes` at the end of `block`.
  void ReadByPhi(uint32_t block, const Lanes& lanes);

  // Adds a note at the line that set_line specified.
  void Note(absl::string_view note);

  void set_version(absl::string_view version) { shader_.version = std::string(version); }

  // Returns whether the lanes have the same values in all invocations of a draw, that is, whether they are constants,
  // uniform variables, or ops on such values.
  bool IsUniform(const Lanes& lanes) const;

  uint8_t bits(ir::NodeIndex node) const { return shader_.values.nodes[node].bits; }
  const ir::Node& node(ir::NodeIndex index) const { return shader_.values.nodes[index]; }
  size_t size() const { return shader_.values.nodes.size(); }

  // Returns the shader; the builder must not be used afterwards.
  ir::Shader Take();

 private:
  absl::StatusOr<ir::Source> ToSource(const Lanes& lanes);
  ir::NodeIndex Append(ir::Node node, bool uniform, absl::string_view opaque);

  ir::Shader shader_;
  bool begun_ = false;                     // whether BeginBlock was called
  std::vector<ir::NodeIndex> block_ends_;  // for each closed block, the number of nodes when it was closed
  std::vector<std::pair<uint32_t, uint32_t>> edges_;
  std::map<uint32_t, Lanes> phi_reads_;  // lanes that phis read, by predecessor block
  std::vector<bool> uniform_;
  int line_ = 0;
  absl::flat_hash_map<std::string, ir::NodeIndex> constants_;
  absl::flat_hash_map<std::string, ir::NodeIndex> block_ops_;  // ops of the open block by their keys, for value
                                                               // numbering
};

Lanes AllLanes(ir::NodeIndex node, int components);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SHADER_BUILDER_H_
