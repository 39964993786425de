// Converts one cone of a shader's SSA graph to a term in canonical form. Used only by fragment extraction.
#ifndef REWROUGHT_CORPUS_CONE_H_
#define REWROUGHT_CORPUS_CONE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/shader.h"
#include "ir/term.h"

namespace rewrought::corpus {

// A value from outside the cone. It has `components` components, which `swizzle` selects from `node`.
struct ConeVariable {
  ir::NodeIndex node = 0;
  int components = 1;
  ir::Swizzle swizzle = ir::kIdentitySwizzle;
};

struct ConeTerm {
  ir::Term term;
  // The term as text, such as "(fadd@32 (fmul@32{nsz} a@32 0x40000000@32) b@32)". It contains the size of every node,
  // its number of components if greater than 1, its flags, and its nonidentity swizzles. Equal canonical terms have
  // equal texts.
  std::string text;
  std::vector<ConeVariable> variables;  // the variables a, b, c, …, in this order
  std::vector<ir::NodeIndex> origins;   // for each node of the term, its node in the shader, or 0 if it is not an op
};

// Returns the number of distinct variables of the cone that consists of the op nodes `cone`.
int CountVariables(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone);

// Returns the term of the cone that consists of the op nodes `cone`. `cone` must be sorted and contain `root`, and all
// nodes must be reachable from `root` within the cone.
ConeTerm BuildConeTerm(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CONE_H_
