// A whole shader as a DAG of scalar nodes, which is what scalar machines select instructions for: vectors are taken
// apart, reductions become chains, what is left of vector ops becomes an opaque value.
#ifndef REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_
#define REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/shader.h"

namespace rewrought::machine::select {

// Nodes whose op has this prefix in ShaderValueInfo::opaque are ops that have no scalar form; the op's name follows.
inline constexpr char kVectorOpPrefix[] = "vector op ";

// For machines whose registers have several components. Vectors are taken apart all the same, and put together again
// where a register is wanted as a whole: what leaves the shader, and the operands of `across`.
struct VectorOptions {
  std::set<std::string> across;  // ops across components that stay as they are: "fdot4"
};

struct ScalarShader {
  // Every node has one component, sources read component 0, constants stand second in commutative ops. With
  // VectorOptions there are nodes vec2 to vec4 besides, read by ops across components or by nobody. Blocks, lines
  // and marks are those of the shader given; equal ops of one block are one node. `values.nodes` stands in topological
  // order, and within a block in the order of the shader. Its uses read components; with VectorOptions they read what
  // an op of several components gives as one vec2 to vec4.
  ir::Shader shader;
  // By node: the opaque value it is a component of, numbered as in the shader given; components of one stand side by
  // side.
  std::vector<uint32_t> group;
  // By node: operands of needed op nodes that are this value; a node without any, and without outside uses, is dead.
  std::vector<uint32_t> op_uses;
  std::vector<uint32_t> outside_uses;  // by node: ir::OutsideUses
  std::vector<uint32_t> uses;          // by node: both
};

// InvalidArgument: a node without a size, a source that does not stand before its user or a component that it lacks, or
// a block that does not exist, or uses out of order (hostile shaders; readers give none of these).
absl::StatusOr<ScalarShader> Scalarize(const ir::Shader& shader, const VectorOptions* vectors = nullptr);

// Counts uses again, after rules have changed shader.values; new nodes belong to no group.
void RecountUses(ScalarShader* scalar);

// After ir::Rewriter has run on `scalar->shader`: groups follow their values, uses are counted anew. `origins` as
// ir::RewriteResult has it.
void FollowRewrite(const std::vector<ir::NodeIndex>& origins, ScalarShader* scalar);

}  // namespace rewrought::machine::select

#endif  // REWROUGHT_MACHINE_SELECT_SCALAR_SHADER_H_
