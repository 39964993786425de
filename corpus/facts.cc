#include "corpus/facts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/facts_transfer.h"
#include "ir/op_row.h"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

// Derives further facts: a float whose top bit is zero is not negative, and the known bits of an integer imply bounds.
void Complete(ir::ValueFacts& facts, uint8_t bits) {
  const uint64_t mask = ir::MaskOf(bits);
  facts.max_unsigned = std::min(facts.max_unsigned, mask & ~facts.known_zero);
  // Bits above the highest set bit of the bound are zero.
  uint64_t covered = facts.max_unsigned;
  for (int shift = 1; shift < 64; shift *= 2) covered |= covered >> shift;
  facts.known_zero |= mask & ~covered;
  if (ir::IsFloatWidth(bits) && (facts.known_zero >> (bits - 1) & 1u)) facts.low = std::max(facts.low, 0.0);
}

// Returns the facts of an op whose result is one of its operands, bit for bit.
ir::ValueFacts TransferSelect(const std::vector<FactOperand>& operands) {
  return ir::Join(operands[1].facts, operands[2].facts);
}

ir::ValueFacts TransferOp(const ir::Node& node, const std::vector<FactOperand>& operands) {
  const absl::string_view op = node.op->name;
  if (op == "bcsel" || op == "b32csel" || op == "b16csel" || op == "b8csel" || op == "fcsel" || op == "fcsel_gt" ||
      op == "fcsel_ge" || op == "i32csel_gt" || op == "i32csel_ge" || op == "icsel_eqz") {
    return TransferSelect(operands);
  }
  if (op == "mov") return operands[0].facts;
  if (HasFloatTransfer(op)) return TransferFloat(op, node.bits, operands);
  return TransferInteger(op, node.bits, operands);
}

FactOperand OperandOf(const ir::Shader& shader, const ir::Source& source, int position, const ir::ValueFacts& facts) {
  const ir::Node& node = shader.values.nodes[source.node];
  FactOperand operand;
  operand.facts = facts;
  operand.bits = node.bits;
  operand.node = source.node;
  operand.component = source.swizzle[static_cast<size_t>(position)];
  operand.constant = node.kind == ir::NodeKind::kConstant;
  if (operand.constant) operand.value = node.values[operand.component];
  return operand;
}

}  // namespace

ShaderFacts::ShaderFacts(const ir::Shader& shader) {
  for (size_t i = 0; i < shader.values.nodes.size(); ++i) {
    const ir::Node& node = shader.values.nodes[i];
    first_.push_back(static_cast<uint32_t>(facts_.size()));
    for (int component = 0; component < node.components; ++component) {
      ir::ValueFacts facts;
      if (node.kind == ir::NodeKind::kConstant) {
        facts = FactsOfConstant(node.values[static_cast<size_t>(component)], node.bits);
        facts.uniform = true;
      } else if (node.kind == ir::NodeKind::kVariable) {
        facts.uniform = shader.info[i].uniform;
      } else {
        std::vector<FactOperand> operands;
        bool uniform = true;
        // If the result and every operand of the op are component-wise, each component of the result depends only on
        // the same component of each operand.
        bool by_component = node.op->result.components == 0;
        for (size_t s = 0; s < node.sources.size(); ++s) {
          by_component = by_component && node.op->sources[s].components == 0;
          const ir::Source& source = node.sources[s];
          const size_t place = first_[source.node] + source.swizzle[static_cast<size_t>(component)];
          operands.push_back(OperandOf(shader, source, component, facts_[std::min(place, facts_.size() - 1)]));
          for (int c = 0; c < shader.values.nodes[source.node].components; ++c) {
            uniform = uniform && at(source.node, c).uniform;
          }
        }
        if (by_component) facts = TransferOp(node, operands);
        const bool vector = absl::StartsWith(node.op->name, "vec");
        if (vector && static_cast<size_t>(component) < node.sources.size()) {
          const ir::Source& source = node.sources[static_cast<size_t>(component)];
          facts = at(source.node, source.swizzle[0]);
        }
        facts.uniform = uniform;
      }
      Complete(facts, node.bits);
      facts_.push_back(facts);
    }
  }
}

}  // namespace rewrought::corpus
