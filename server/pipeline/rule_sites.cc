#include "server/pipeline/rule_sites.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "machine/base_selection.h"
#include "server/pipeline/fact_predicates.h"
#include "server/pipeline/fragment_form.h"

namespace rewrought::pipeline {
namespace {

// The term below `root`, as a term of its own.
ir::Term Below(const ir::Term& term, ir::NodeIndex root) {
  ir::Term below = term;
  below.root = root;
  below.nodes.resize(root + 1);  // sources stand before users
  return below;
}

// Survivors that no other survivor computes on its way.
std::vector<ir::NodeIndex> OutermostSurvivors(const ir::Term& term, uint64_t survivors) {
  const std::vector<ir::NodeIndex> order = OpsInPrefixOrder(term);
  std::vector<bool> covered(term.nodes.size(), false);
  std::vector<ir::NodeIndex> outermost;
  const std::function<void(ir::NodeIndex)> cover = [&](ir::NodeIndex node) {
    if (covered[node]) return;
    covered[node] = true;
    for (const ir::Source& source : term.at(node).sources) cover(source.node);
  };
  std::vector<ir::NodeIndex> living;
  for (size_t i = 1; i < order.size(); ++i) {
    if ((survivors >> i & 1) != 0) living.push_back(order[i]);
  }
  std::sort(living.rbegin(), living.rend());  // users first
  for (const ir::NodeIndex node : living) {
    if (covered[node]) continue;
    outermost.push_back(node);
    cover(node);
  }
  return outermost;
}

absl::StatusOr<machine::Cost> CostAfter(const RuleDraft& rule, machine::BaseKind kind) {
  if (rule.program.has_value()) return machine::ProgramCost(*rule.machine, *rule.program);
  return machine::BaseCost(*rule.machine, rule.replace, kind);
}

}  // namespace

std::string OpMultiset(const ir::Term& term) {
  std::vector<std::string> names;
  for (const ir::NodeIndex node : OpsInPrefixOrder(term)) names.push_back(term.at(node).op->name);
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, " ");
}

absl::StatusOr<SiteRule> SiteRule::Create(RuleDraft draft) {
  // Only the search side is matched; it stands for the replacement too, which a program would not be.
  ir::Rule rule;
  rule.search = rule.replace = draft.search;
  for (ir::Node& node : rule.replace.nodes) {
    node.predicates.clear();
    node.constant_only = false;
    node.flags = 0;
  }
  absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(std::move(rule), {.literals_exact = true});
  if (!compiled.ok()) return compiled.status();
  return SiteRule(std::move(draft), *std::move(compiled));
}

bool SiteRule::Matches(const ir::Term& fragment, const ir::FactCallback& facts) const {
  ir::MatchOptions options;
  options.facts = facts;
  options.literals_exact = true;
  const std::optional<ir::Match> match = ir::MatchAt(compiled_, fragment, fragment.root, options);
  if (!match.has_value()) return false;
  std::vector<ir::NodeIndex> ops = match->ops;
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  if (ops.size() != OpsInPrefixOrder(fragment).size()) return false;
  // A variable that stands for a constant would need it in a register; such a site is another fragment's.
  return std::all_of(match->variables.begin(), match->variables.end(), [&](const ir::Binding& binding) {
    return !binding.bound || fragment.at(binding.node).kind == ir::NodeKind::kVariable;
  });
}

bool SiteRule::Fits(const ir::Term& fragment) const {
  ir::Term permissive = fragment;
  for (ir::Node& node : permissive.nodes) node.flags = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;
  return Matches(permissive, [](const ir::PredicateQuery&) { return true; });
}

bool SiteRule::Licensed(const ir::Term& fragment, uint64_t marks, const std::string& facts) const {
  ir::Term marked = fragment;
  ApplyMarks(marks, &marked);
  const std::vector<std::string> names = VariablesInOrder(marked);
  const std::vector<corpus::ValueFacts> known = ParseFactsSummary(facts);
  return Matches(marked, [&](const ir::PredicateQuery& query) {
    const ir::Node& node = query.term->at(query.value.node);
    if (node.kind == ir::NodeKind::kConstant)
      return ConstantHas(query.predicate, node.values[0], node.bits, query.base);
    const size_t place = static_cast<size_t>(std::find(names.begin(), names.end(), node.name) - names.begin());
    return node.kind == ir::NodeKind::kVariable && place < known.size() && FactsGrant(known[place], query.predicate);
  });
}

absl::StatusOr<SiteSaving> SavingAt(const RuleDraft& rule, const ir::Term& fragment, uint64_t marks,
                                    uint64_t survivors) {
  ir::Term marked = fragment;
  ApplyMarks(marks, &marked);
  SiteSaving saving;
  for (const machine::BaseKind kind : {machine::BaseKind::kOnePerOp, machine::BaseKind::kStrong}) {
    absl::StatusOr<machine::Cost> before = machine::BaseCost(*rule.machine, marked, kind);
    if (!before.ok()) return before.status();
    absl::StatusOr<machine::Cost> after = CostAfter(rule, kind);
    if (!after.ok()) return after.status();
    double cycles = before->issue_cycles - after->issue_cycles;
    double instructions = before->instructions - after->instructions;
    // Base selection gives the inner values on its way; where it folded them, it needs them beside, too.
    double kept_cycles = 0, kept_instructions = 0;
    for (const ir::NodeIndex node : OutermostSurvivors(marked, survivors)) {
      absl::StatusOr<machine::Cost> kept = machine::BaseCost(*rule.machine, Below(marked, node), kind);
      if (!kept.ok()) return kept.status();
      kept_cycles += kept->issue_cycles;
      kept_instructions += kept->instructions;
    }
    cycles -= kept_cycles;
    instructions -= kept_instructions;
    (kind == machine::BaseKind::kStrong ? saving.strong_cycles : saving.base_cycles) = cycles;
    (kind == machine::BaseKind::kStrong ? saving.strong_instructions : saving.base_instructions) = instructions;
  }
  return saving;
}

}  // namespace rewrought::pipeline
