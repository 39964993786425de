// A shader as the readers give it: one SSA DAG of NIR ops whose loads, phis, textures and all that a reader does not know
// are opaque variables, with what fragments need to know about each value.
#ifndef REWROUGHT_IR_SHADER_H_
#define REWROUGHT_IR_SHADER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/term.h"

namespace rewrought::ir {

struct ShaderBlock {
  int loop_depth = 0;
};

// Beside node i of `values`.
struct ShaderValueInfo {
  uint32_t block = 0;
  int line = 0;               // in the file read, or 0
  uint32_t outside_uses = 0;  // uses by what is no ALU op: stores, textures, branches, phis
  std::string opaque;         // of a variable: what it stands for ("phi", "load_ubo", "tex", "undef", an unknown op's name)
  bool uniform = false;       // of a variable: the same for all lanes of a draw
};

struct Shader {
  std::string name;    // file, and entry point or stage
  std::string source;  // the corpus source it belongs to, e.g. "gl-transitions"
  std::string stage;   // "vertex", "fragment", "compute", …
  Term values;         // every SSA value; `root` is unused
  std::vector<ShaderValueInfo> info;  // one per node of `values`
  std::vector<ShaderBlock> blocks;
  std::vector<std::string> notes;     // what the reader did not know, one entry per occurrence, for counting
};

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SHADER_H_
