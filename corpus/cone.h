// One cone of a shader's SSA graph made into a term in canonical form; internal to fragment extraction.
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

// A value from outside the cone: `components` of `node`, those that `swizzle` names first.
struct ConeVariable {
  ir::NodeIndex node = 0;
  int components = 1;
  ir::Swizzle swizzle = ir::kIdentitySwizzle;
};

struct ConeTerm {
  ir::Term term;
  // Such as "(fadd@32 (fmul@32{nsz} a@32 0x40000000@32) b@32)": every node's size, number of components if above 1,
  // flags, and swizzles where they are not the identity. Equal canonical terms have equal texts.
  std::string text;
  std::vector<ConeVariable> variables;  // a, b, c, ... in this order
  std::vector<ir::NodeIndex> origins;   // by op node of the term: a node of the shader that it came from; else 0
};

// Number of distinct variables that the cone of these op nodes has.
int CountVariables(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone);

// The term of the op nodes `cone` (sorted, not empty, with `root` in it and all others reachable from it inside).
ConeTerm BuildConeTerm(const ir::Shader& shader, const std::vector<ir::NodeIndex>& cone, ir::NodeIndex root);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_CONE_H_
