#include "verifier/message/explain.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/scalar.h"

namespace rewrought::verifier {
namespace {

std::string NodeText(const ir::Term& term, ir::NodeIndex index) {
  const ir::Node& node = term.at(index);
  if (node.kind == ir::NodeKind::kVariable) return node.name;
  if (node.kind == ir::NodeKind::kConstant) return "constant";
  std::string text = absl::StrCat("n", index, " = ", node.op->name);
  for (const ir::Source& source : node.sources) {
    const ir::Node& from = term.at(source.node);
    std::string operand;
    switch (from.kind) {
      case ir::NodeKind::kVariable:
        operand = from.name;
        break;
      case ir::NodeKind::kConstant:
        operand = FormatHex(from.values[source.swizzle[0]], from.bits);
        break;
      case ir::NodeKind::kOp:
        operand = absl::StrCat("n", source.node);
        break;
    }
    absl::StrAppend(&text, &source == &node.sources[0] ? " " : ", ", operand);
  }
  return text;
}

void AppendSide(const ir::Term& term, const ir::LoweredTerm& lowered, bool in_search, ir::Evaluator* evaluator,
                std::vector<ExplainedNode>* nodes) {
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    if (term.at(i).kind == ir::NodeKind::kConstant || lowered.values[i].empty()) continue;
    ExplainedNode node{in_search, i, NodeText(term, i), term.at(i).bits, {}};
    for (ir::ValueIndex value : lowered.values[i]) node.values.push_back(evaluator->Evaluate(value));
    nodes->push_back(std::move(node));
  }
}

}  // namespace

std::string FormatHex(uint64_t value, int bits) {
  return absl::StrFormat("0x%0*x", (bits + 3) / 4, value & ir::MaskOf(bits));
}

std::string FormatValue(uint64_t value, int bits) {
  if (!ir::IsFloatWidth(bits)) return FormatHex(value, bits);
  return absl::StrFormat("%s (%.9g)", FormatHex(value, bits), ir::BitsToFloat(value, bits));
}

absl::StatusOr<std::vector<ExplainedNode>> ExplainWitness(const RuleCase& rule_case, const Witness& witness) {
  absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  std::vector<uint64_t> inputs;
  for (const WitnessVariable& variable : witness.variables) inputs.push_back(variable.value);
  inputs.resize((*prepared)->dag().inputs().size());
  std::vector<ExplainedNode> nodes;
  ir::Evaluator evaluator(&(*prepared)->dag());
  evaluator.Start(inputs, [](uint32_t) { return 0; });
  AppendSide(rule_case.search, (*prepared)->search().lowered, true, &evaluator, &nodes);
  evaluator.Start(inputs, [&](uint32_t choice) {
    return choice < witness.replace_choices.size() ? witness.replace_choices[choice] : 0;
  });
  AppendSide(rule_case.replace, (*prepared)->replace().lowered, false, &evaluator, &nodes);
  return nodes;
}

}  // namespace rewrought::verifier
