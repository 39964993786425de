// Converts a whole shader to a DAG of scalar nodes, the form on which selection works. Vectors are scalarized,
// reductions become chains of scalar ops, and the remaining vector ops become opaque values.
#ifndef REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_
#define REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/shader.h"

namespace rewrought::machine::select {

// The prefix of ShaderValueInfo::opaque for ops without a scalar form; the op's name follows.
inline constexpr char kVectorOpPrefix[] = "vector op ";

// Options for machines with several components per register. Vectors are still scalarized, but are rebuilt where a
// whole register is needed: for outside uses and for the operands of `across`.
struct VectorOptions {
  std::set<std::string> across;  // Cross-component ops that are kept, such as "fdot4".
};

struct ScalarShader {
  // Every node has one component, sources read component 0, and constants are the second operand of commutative ops.
  // With VectorOptions there are also vec2 to vec4 nodes, which are read only by cross-component ops and outside uses.
  // Blocks, lines and flags come from the input shader; equal ops of a block share a node. `values.nodes` is in
  // topological order, and within a block in the shader's order. Each of the `uses` reads single components or, with
  // VectorOptions, a vec2 to vec4 node for a whole value.
  ir::Shader shader;
  // The opaque value of the input shader to which each component belongs. Components of a value are adjacent.
  std::vector<uint32_t> group;
  // For each node, the number of operands that read it in needed op nodes. A node without such operands and without
  // outside uses is dead.
  std::vector<uint32_t> op_uses;
  std::vector<uint32_t> outside_uses;  // The ir::OutsideUses of each node.
  std::vector<uint32_t> uses;          // The sum of `op_uses` and `outside_uses`.
};

// Converts `shader`. Fails with InvalidArgument if a node has no size, a source is not defined before its user, a user
// reads a component that its source lacks, a block is unknown, or uses are out of order. The project's readers never
// produce such shaders.
absl::StatusOr<ScalarShader> Scalarize(const ir::Shader& shader, const VectorOptions* vectors = nullptr);

// Recomputes the use counts after rules have changed shader.values. New nodes do not belong to any group.
void RecountUses(ScalarShader* scalar);

// Updates `scalar` after ir::Rewriter has run on `scalar->shader`: moves the groups to the rewritten values and
// recomputes the use counts. `origins` comes from ir::RewriteResult.
void UpdateAfterRewrite(const std::vector<ir::NodeIndex>& origins, ScalarShader* scalar);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_
