// A shader as returned by the corpus readers: one SSA DAG of NIR ops. Loads, phis, textures and unknown operations are
// opaque variables. Each value carries the information that fragment extraction needs.
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
  std::optional<uint32_t> dominator;  // the immediate dominator, if known
};

struct ShaderValueInfo {
  uint32_t block = 0;
  int line = 0;          // line in the input file, or 0
  std::string opaque;    // for a variable, its origin: "phi", "load_ubo", "tex", "undef", or the name of an unknown op
  bool uniform = false;  // for a variable, true if it is the same for all invocations of a draw
};

struct ShaderLane {
  NodeIndex node = 0;
  uint8_t component = 0;

  friend bool operator==(const ShaderLane&, const ShaderLane&) = default;
};

// A non-ALU operation that reads values: a store, a texture access, or a branch. The values that the phis of successor
// blocks read from a block form another use ("phi"), which is the last use in the block.
struct ShaderUse {
  std::string what;
  uint32_t block = 0;
  NodeIndex before = 0;           // the use is after all nodes with smaller indices and before this node
  std::vector<ShaderLane> reads;  // refers only to nodes below `before`
  std::vector<NodeIndex> gives;   // its results: opaque variables with indices of at least `before`
};

// A construct in the input that the reader does not understand or that limits the facts about the shader.
struct ShaderNote {
  std::string text;  // the same for all occurrences of a construct
  int line = 0;      // line in the input file, or 0

  friend bool operator==(const ShaderNote&, const ShaderNote&) = default;
};

struct Shader {
  std::string name;                   // file, and entry point or stage
  std::string source;                 // the corpus source to which it belongs, e.g. "gl-transitions"
  std::string stage;                  // "vertex", "fragment", "compute", …
  Term values;                        // every SSA value; `root` is unused
  std::vector<ShaderValueInfo> info;  // one per node of `values`
  std::vector<ShaderBlock> blocks;
  std::vector<ShaderUse> uses;    // in shader order: `block` and `before` never decrease
  std::vector<ShaderNote> notes;  // one entry per occurrence
  std::string version;            // for NIR text, a description of the versions of Mesa that print it
};

// Returns whether `above` dominates `block` or is the same block; false if the dominators are unknown.
inline bool Dominates(const Shader& shader, uint32_t above, uint32_t block) {
  // In the block order of every corpus reader, a dominator precedes the blocks that it dominates. In any other order,
  // the walk ends early and returns false.
  while (block > above) {
    const std::optional<uint32_t> next = shader.blocks[block].dominator;
    if (!next.has_value() || *next >= block) return false;
    block = *next;
  }
  return block == above;
}

// Returns the users of each node. A user occurs once for each of its sources that reads the node.
inline std::vector<std::vector<NodeIndex>> ReadersOf(const Shader& shader) {
  std::vector<std::vector<NodeIndex>> readers(shader.values.nodes.size());
  for (NodeIndex node = 0; node < readers.size(); ++node) {
    for (const Source& source : shader.values.nodes[node].sources) readers[source.node].push_back(node);
  }
  return readers;
}

// Returns, for each node, the number of the shader's uses that read some component of it.
inline std::vector<uint32_t> OutsideUses(const Shader& shader) {
  std::vector<uint32_t> counts(shader.values.nodes.size(), 0);
  std::vector<size_t> counted(counts.size(), 0);  // 1 + the index of the last use that was counted
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
