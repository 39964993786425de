#include "emitter/tablegen/value_kinds.h"

namespace rewrought::emitter {
namespace {

// Returns whether the op moves bits of any kind.
bool MovesValues(const ir::Node& node) {
  const std::string& name = node.op->name;
  return name == "mov" || name == "bcsel" || name == "vec2" || name == "vec3" || name == "vec4";
}

// Returns whether the op moves source `index`. A selection does not move its condition.
bool IsMoved(const ir::Node& node, size_t index) { return node.op->name != "bcsel" || index > 0; }

}  // namespace

bool ReadsFloat(const ir::Node& node, size_t index, bool is_float) {
  if (MovesValues(node)) return is_float && IsMoved(node, index);
  return node.op->sources[index].base == ir::BaseType::kFloat;
}

std::vector<bool> FloatValues(const ir::Term& search) {
  std::vector<bool> floats(search.nodes.size(), false);
  const auto is_constant = [&](ir::NodeIndex node) { return search.at(node).kind == ir::NodeKind::kConstant; };
  // Kinds propagate through moves in both directions. Each iteration except the last changes at least one kind.
  for (bool changed = true; changed;) {
    changed = false;
    const auto set = [&](ir::NodeIndex node, bool value) {
      if (!value || floats[node] || search.at(node).bits < 16 || is_constant(node)) return;
      floats[node] = changed = true;
    };
    for (ir::NodeIndex i = 0; i < search.nodes.size(); ++i) {
      const ir::Node& node = search.at(i);
      if (node.kind != ir::NodeKind::kOp) continue;
      const bool moves = MovesValues(node);
      if (!moves) set(i, node.op->result.base == ir::BaseType::kFloat);
      for (size_t s = 0; s < node.sources.size(); ++s) {
        const ir::NodeIndex source = node.sources[s].node;
        if (moves && IsMoved(node, s)) set(i, floats[source]);
        // An op determines the kind of its result, but the users of a variable or a move determine its kind.
        const bool is_op = search.at(source).kind == ir::NodeKind::kOp;
        if (!is_op || MovesValues(search.at(source))) set(source, ReadsFloat(node, s, floats[i]));
      }
    }
  }
  return floats;
}

}  // namespace rewrought::emitter
