#include "emitter/entry_cost.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/match/relation.h"
#include "ir/text/canonical.h"
#include "ir/text/sizes.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "machine/cost_message.h"

namespace rewrought::emitter {
namespace {

std::set<std::string> SymbolsOf(const ir::Term& search) {
  std::set<std::string> symbols;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.constant_only) symbols.insert(node.name);
  }
  return symbols;
}

// Returns the cost of `side` under tuned baseline selection.
absl::StatusOr<v1::ProgramCost> SideCost(const machine::Machine& machine, const ir::Term& side) {
  if (side.root_node().kind != ir::NodeKind::kOp) return v1::ProgramCost();  // Nothing remains to be computed.
  const absl::StatusOr<machine::Cost> cost = machine::BaseCost(machine, side, machine::BaseKind::kTuned);
  if (!cost.ok()) return cost.status();
  return machine::CostMessage(*cost);
}

}  // namespace

ir::Term ReplaceWithFoldedConstants(const ir::Rule& rule) {
  const ir::Term& term = rule.replace;
  const std::set<std::string> symbols = SymbolsOf(rule.search);
  ir::Term folded = term;
  std::vector<bool> constant(term.nodes.size(), false);
  bool any = false;
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.nodes[i];
    constant[i] = node.kind == ir::NodeKind::kOp
                      ? std::all_of(node.sources.begin(), node.sources.end(),
                                    [&](const ir::Source& source) { return constant[source.node]; })
                      : node.kind == ir::NodeKind::kConstant || symbols.contains(node.name);
    if (node.kind != ir::NodeKind::kOp || !constant[i]) continue;
    ir::Node symbol;
    symbol.name = absl::StrCat("folded", i);
    symbol.bits = node.bits;
    symbol.components = node.components;
    symbol.constant_only = true;
    folded.nodes[i] = std::move(symbol);
    any = true;
  }
  return any ? ir::CanonicalTerm(folded) : term;
}

absl::Status FillCosts(const machine::Machine& machine, const EntryRule& entry, const ProvedCases& proved,
                       v1::RewriteRule* rule) {
  const auto at_sizes = ir::Instantiate(entry.rule, proved.cases[0].sizes);
  if (!at_sizes.ok()) return at_sizes.status();
  const auto before = SideCost(machine, ir::Matched(at_sizes->search));
  if (before.ok()) *rule->mutable_base_cost() = *before;
  if (entry.program.has_value()) {
    *rule->mutable_cost() = machine::CostMessage(machine::ProgramCost(*entry.machine, *entry.program));
  } else {
    const auto after = SideCost(machine, ReplaceWithFoldedConstants(*at_sizes));
    // Costs from two models are not comparable.
    if (after.ok() && before.ok()) *rule->mutable_cost() = *after;
  }
  if (!rule->has_base_cost() || !rule->has_cost()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no cost on ", machine.id(), ": ",
                     before.ok() ? "the model cannot select the replacement" : before.status().message()));
  }
  return absl::OkStatus();
}

}  // namespace rewrought::emitter
