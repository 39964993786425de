// A shader as the readers give it: one SSA DAG of NIR ops whose loads, phis, textures and all that a reader does not
// know are opaque variables, with what fragments need to know about each value.
#ifndef REWROUGHT_IR_SHADER_H_
#define REWROUGHT_IR_SHADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/term.h"

namespace rewrought::ir {

struct ShaderBlock {
  int loop_depth = 0;
  std::optional<uint32_t> dominator;  // the nearest block that every way here leads through; none: not known
};

// Beside node i of `values`.
struct ShaderValueInfo {
  uint32_t block = 0;
  int line = 0;          // in the file read, or 0
  std::string opaque;    // of a variable: what it stands for ("phi", "load_ubo", "tex", "undef", an unknown op's name)
  bool uniform = false;  // of a variable: the same for all lanes of a draw
};

// One component of a value.
struct ShaderLane {
  NodeIndex node = 0;
  uint8_t component = 0;

  friend bool operator==(const ShaderLane&, const ShaderLane&) = default;
};

// A step that reads values and is no ALU op: a store, a texture, a branch, or all that the phis behind a block take
// from it ("phi", the last of its block).
struct ShaderUse {
  std::string what;
  uint32_t block = 0;
  NodeIndex before = 0;           // it stands behind all nodes of a smaller index and before this one
  std::vector<ShaderLane> reads;  // of nodes below `before`
  std::vector<NodeIndex> gives;   // the opaque variables that are its results, `before` and up
};

struct Shader {
  std::string name;                   // file, and entry point or stage
  std::string source;                 // the corpus source it belongs to, e.g. "gl-transitions"
  std::string stage;                  // "vertex", "fragment", "compute", …
  Term values;                        // every SSA value; `root` is unused
  std::vector<ShaderValueInfo> info;  // one per node of `values`
  std::vector<ShaderBlock> blocks;
  std::vector<ShaderUse> uses;     // in the order of the shader: neither `block` nor `before` descends
  std::vector<std::string> notes;  // what the reader did not know, one entry per occurrence, for counting
};

// Whether every way to `block` leads through `above`, or they are the same; false where nothing says so.
inline bool Dominates(const Shader& shader, uint32_t above, uint32_t block) {
  // A dominator stands before what it dominates in every order that readers have; what does not, ends the walk.
  while (block > above) {
    const std::optional<uint32_t> next = shader.blocks[block].dominator;
    if (!next.has_value() || *next >= block) return false;
    block = *next;
  }
  return block == above;
}

// By node: those that read it, once per read.
inline std::vector<std::vector<NodeIndex>> ReadersOf(const Shader& shader) {
  std::vector<std::vector<NodeIndex>> readers(shader.values.nodes.size());
  for (NodeIndex node = 0; node < readers.size(); ++node) {
    for (const Source& source : shader.values.nodes[node].sources) readers[source.node].push_back(node);
  }
  return readers;
}

// By node: how many of the shader's uses read some component of it.
inline std::vector<uint32_t> OutsideUses(const Shader& shader) {
  std::vector<uint32_t> counts(shader.values.nodes.size(), 0);
  std::vector<size_t> counted(counts.size(), 0);  // the last use that was, from 1
  for (size_t u = 0; u < shader.uses.size(); ++u) {
    for (const ShaderLane& read : shader.uses[u].reads) {
      if (counted[read.node] == u + 1) continue;
      counted[read.node] = u + 1;
      ++counts[read.node];
    }
  }
  return counts;
}

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_SHADER_H_
