// Builds an ir::Shader node by node, for the readers: checks each op against its row, shares equal constants and equal
// ops of one block, and keeps values as lanes, so that moves and vectors are routing and no nodes.
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

// The flags nsz, nnan and ninf together: what a float node without any preserve mode permits.
inline constexpr uint8_t kAllFastMath = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

class ShaderBuilder {
 public:
  // A shader is never given more nodes than this; past it every Add call returns ResourceExhausted (guards against
  // hostile input whose vectors and matrices expand).
  static constexpr size_t kMaxNodes = 1u << 20;

  ShaderBuilder(absl::string_view name, absl::string_view source, absl::string_view stage);

  // Opens a block at `loop_depth` (0: in no loop); nodes and uses added from now on belong to it. Its number. The first
  // call takes the block that a builder begins with, if that is empty.
  uint32_t BeginBlock(int loop_depth);

  // Control may go from one block to the other. Without any a block dominates no other.
  void AddEdge(uint32_t from, uint32_t to) { edges_.emplace_back(from, to); }

  // The line that nodes added from now on carry; 0: none.
  void set_line(int line) { line_ = line; }

  // A constant of `values.size()` components (1 to 4) of `bits` each; patterns are cut to `bits`. Equal ones are
  // shared.
  ir::NodeIndex AddConstant(uint8_t bits, const std::vector<uint64_t>& values);

  // A new variable; `opaque` says what it stands for. More than 4 components become several nodes.
  Lanes AddVariable(uint8_t bits, int components, absl::string_view opaque, bool uniform);

  // An op of `components` components and result size `bits`; `sources` holds one Lanes per operand, each with as many
  // lanes as the row wants of it (the row's fixed number, or `components`). Flags nsz, nnan and ninf are kept only
  // where an operand or the result is a float. An operand gathered from several nodes goes through a vecN node.
  // NotFound: the op has no row. InvalidArgument: the number or size of an operand does not fit the row.
  absl::StatusOr<ir::NodeIndex> AddOp(absl::string_view op, uint8_t bits, int components,
                                      const std::vector<Lanes>& sources, uint8_t flags);

  // A step that is no ALU op and reads values stands here (ir::ShaderUse); without any it is left out. What it reads,
  // and which variables it gives, may be said at any time; lanes that were made on the other side of it are not taken.
  // Its number.
  size_t AddUse(absl::string_view what);
  void Read(size_t use, const Lanes& lanes);
  void Give(size_t use, const Lanes& lanes);
  // A phi takes `lanes` where it is reached from `block`.
  void ReadByPhi(uint32_t block, const Lanes& lanes);

  void Note(absl::string_view note);

  // The same for all lanes of a draw: constants, uniform variables, and ops over such.
  bool IsUniform(const Lanes& lanes) const;

  uint8_t bits(ir::NodeIndex node) const { return shader_.values.nodes[node].bits; }
  const ir::Node& node(ir::NodeIndex index) const { return shader_.values.nodes[index]; }
  size_t size() const { return shader_.values.nodes.size(); }

  // The shader; the builder is done.
  ir::Shader Take();

 private:
  absl::StatusOr<ir::Source> ToSource(const Lanes& lanes);
  ir::NodeIndex Append(ir::Node node, bool uniform, absl::string_view opaque);

  ir::Shader shader_;
  bool begun_ = false;                     // BeginBlock was called
  std::vector<ir::NodeIndex> block_ends_;  // by closed block: how many nodes there were
  std::vector<std::pair<uint32_t, uint32_t>> edges_;
  std::map<uint32_t, Lanes> phi_reads_;  // by the block that they come from
  std::vector<bool> uniform_;
  int line_ = 0;
  absl::flat_hash_map<std::string, ir::NodeIndex> constants_;
  absl::flat_hash_map<std::string, ir::NodeIndex> block_ops_;  // value numbers of the open block
};

// The lanes of all components of a node.
Lanes AllLanes(ir::NodeIndex node, int components);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SHADER_BUILDER_H_
