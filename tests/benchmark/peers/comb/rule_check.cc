#include "tests/benchmark/peers/comb/rule_check.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "verifier/prover.h"
#include "verifier/rule_case.h"
#include "verifier/vectors.h"

namespace rewrought::peers {
namespace {

ir::NodeIndex AddTo(ir::Term* term, ir::Node node, int width) {
  node.bits = static_cast<uint8_t>(width);
  term->nodes.push_back(std::move(node));
  return static_cast<ir::NodeIndex>(term->nodes.size() - 1);
}

verifier::RuleCase CaseOf(const LowestCostRule& rule, absl::Span<const CombOp> ops,
                          absl::Span<const CombOp> instructions, int width) {
  verifier::RuleCase rule_case;
  rule_case.search = TermOf(rule.pattern, ops, width);
  rule_case.replace = TermOf(rule.program, instructions, width);
  rule_case.mode = ir::DenormMode::kNone;
  return rule_case;
}

}  // namespace

ir::Term TermOf(const Graph& graph, absl::Span<const CombOp> ops, int width) {
  ir::Term term;
  for (int i = 0; i < graph.inputs; ++i) {
    ir::Node variable;
    variable.name = std::string(1, static_cast<char>('a' + i));
    AddTo(&term, std::move(variable), width);
  }
  for (size_t i = 0; i < graph.size; ++i) {
    const Step& step = graph.steps[i];
    const CombOp& op = ops[step.op];
    ir::Node node;
    node.kind = op.row == nullptr ? ir::NodeKind::kConstant : ir::NodeKind::kOp;
    node.values[0] = op.constant;
    node.op = op.row;
    for (size_t j = 0; j < static_cast<size_t>(op.sources); ++j) {
      const uint8_t source = step.sources[j];
      const int index = source < kFirstStep ? source : source - kFirstStep + graph.inputs;
      node.sources.push_back({.node = static_cast<ir::NodeIndex>(index)});
    }
    term.root = AddTo(&term, std::move(node), width);
  }
  return term;
}

std::string TextOf(const LowestCostRule& rule, absl::Span<const CombOp> ops, absl::Span<const CombOp> instructions) {
  return absl::StrCat(ir::PrintTerm(TermOf(rule.pattern, ops, kTableBits)), " -> ",
                      ir::PrintTerm(TermOf(rule.program, instructions, kTableBits)));
}

std::vector<std::string> WrongRules(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                                    absl::Span<const CombOp> instructions) {
  std::vector<std::string> wrong;
  for (const LowestCostRule& rule : rules) {
    absl::StatusOr<std::unique_ptr<verifier::PreparedCase>> prepared =
        verifier::PreparedCase::Create(CaseOf(rule, ops, instructions, kTableBits));
    const std::string text = TextOf(rule, ops, instructions);
    if (!prepared.ok()) {
      wrong.push_back(absl::StrCat(text, ": ", prepared.status().message()));
      continue;
    }
    const verifier::CaseResult result = verifier::TryExhaustive(prepared->get(), kTableBits * kMostInputs);
    if (result.verdict != v1::VERDICT_PROVED) wrong.push_back(absl::StrCat(text, ": does not hold on all inputs"));
  }
  return wrong;
}

void WideProver::Decide(absl::Span<const LowestCostRule* const> rules, absl::Span<const CombOp> ops,
                        absl::Span<const CombOp> instructions, int width, absl::Span<v1::Verdict> verdicts) const {
  verifier::ProverOptions options;
  options.keep_query = false;
  options.exhaustive_bits = 16;  // two 8-bit inputs, or one 16-bit input
  const verifier::Prover prover(solvers_, options);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < rules.size(); i = next++)
      verdicts[i] = prover.Prove(CaseOf(*rules[i], ops, instructions, width)).verdict;
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < solvers_.parallel(); ++i) others.emplace_back(work);
  work();
}

AtWidth WideProver::Prove(absl::Span<const LowestCostRule> rules, absl::Span<const CombOp> ops,
                          absl::Span<const CombOp> instructions, int width) {
  std::vector<const LowestCostRule*> unknown;
  std::vector<v1::Verdict*> places;
  for (const LowestCostRule& rule : rules) {
    const auto [place, is_new] = known_.try_emplace({TextOf(rule, ops, instructions), width}, v1::VERDICT_UNKNOWN);
    if (!is_new) continue;
    unknown.push_back(&rule);
    places.push_back(&place->second);
  }
  std::vector<v1::Verdict> verdicts(unknown.size());
  Decide(unknown, ops, instructions, width, absl::MakeSpan(verdicts));
  for (size_t i = 0; i < verdicts.size(); ++i) *places[i] = verdicts[i];
  AtWidth at_width;
  for (const LowestCostRule& rule : rules) {
    const std::string text = TextOf(rule, ops, instructions);
    const v1::Verdict verdict = known_.at({text, width});
    if (verdict == v1::VERDICT_PROVED) {
      ++at_width.proved;
    } else {
      (verdict == v1::VERDICT_REFUTED ? at_width.refuted : at_width.unknown).push_back(text);
    }
  }
  return at_width;
}

}  // namespace rewrought::peers
