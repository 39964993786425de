#include "server/pipeline/rule_sites.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "machine/base_rules.h"
#include "machine/base_selection.h"
#include "machine/constants.h"
#include "server/pipeline/fragment_form.h"
#include "server/pipeline/known_rules.h"

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

constexpr uint8_t kEveryPermission = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

// The rule with its symbols bound.
absl::StatusOr<RuleDraft> Bound(const RuleDraft& rule, const std::map<std::string, uint64_t>& symbols) {
  RuleDraft bound = rule;
  if (rule.program.has_value()) {
    absl::StatusOr<machine::Program> program = machine::BindConstants(*rule.machine, *rule.program, symbols);
    if (!program.ok()) return program.status();
    bound.program = *std::move(program);
    return bound;
  }
  for (ir::Node& node : bound.replace.nodes) {
    const auto symbol = node.kind == ir::NodeKind::kVariable ? symbols.find(node.name) : symbols.end();
    if (symbol == symbols.end()) continue;
    ir::Node constant;
    constant.kind = ir::NodeKind::kConstant;
    constant.bits = node.bits;
    constant.values[0] = symbol->second;
    node = std::move(constant);
  }
  return bound;
}

bool IsSymbol(const ir::Term& search, const std::string& name) {
  return std::any_of(search.nodes.begin(), search.nodes.end(), [&](const ir::Node& node) {
    return node.kind == ir::NodeKind::kVariable && node.name == name && node.constant_only;
  });
}

}  // namespace

std::string OpMultiset(const ir::Term& term) {
  std::vector<std::string> names;
  for (const ir::NodeIndex node : OpsInPrefixOrder(term)) names.push_back(term.at(node).op->name);
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, " ");
}

absl::StatusOr<SiteRule> SiteRule::Create(RuleDraft draft) {
  absl::StatusOr<ir::CompiledRule> compiled = CompileSearch(draft.search);
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
  // A variable that stands for a constant would need it in a register; such a site is another fragment's. A symbol of the
  // rule stands for nothing else.
  for (size_t i = 0; i < match->variables.size(); ++i) {
    const ir::Binding& binding = match->variables[i];
    if (!binding.bound || fragment.at(binding.node).kind == ir::NodeKind::kVariable) continue;
    if (!IsSymbol(draft_.search, compiled_.variables()[i])) return false;
  }
  return true;
}

std::map<std::string, uint64_t> SiteRule::SymbolsIn(const ir::Term& fragment) const {
  ir::Term permissive = fragment;
  for (ir::Node& node : permissive.nodes) node.flags = kEveryPermission;
  ir::MatchOptions options;
  options.facts = [](const ir::PredicateQuery&) { return true; };
  options.literals_exact = true;
  std::map<std::string, uint64_t> symbols;
  const std::optional<ir::Match> match = ir::MatchAt(compiled_, permissive, fragment.root, options);
  for (size_t i = 0; match.has_value() && i < match->variables.size(); ++i) {
    const ir::Binding& binding = match->variables[i];
    if (!binding.bound || fragment.at(binding.node).kind != ir::NodeKind::kConstant) continue;
    symbols[compiled_.variables()[i]] = machine::ConstantBits(fragment.at(binding.node));
  }
  return symbols;
}

bool SiteRule::Fits(const ir::Term& fragment) const {
  ir::Term permissive = fragment;
  for (ir::Node& node : permissive.nodes) node.flags = kEveryPermission;
  return Matches(permissive, [](const ir::PredicateQuery&) { return true; });
}

bool SiteRule::Licensed(const ir::Term& fragment, uint64_t marks, const std::string& facts) const {
  ir::Term marked = fragment;
  ApplyMarks(marks, &marked);
  return Matches(marked, FactsOfSite(marked, ParseFactsSummary(facts)));
}

absl::StatusOr<SiteSaving> SavingAt(const RuleDraft& rule, const ir::Term& fragment, uint64_t marks, uint64_t survivors,
                                    const std::map<std::string, uint64_t>& symbols) {
  const absl::StatusOr<RuleDraft> bound = Bound(rule, symbols);
  if (!bound.ok()) return bound.status();
  ir::Term marked = fragment;
  ApplyMarks(marks, &marked);
  SiteSaving saving;
  for (const machine::BaseKind kind : {machine::BaseKind::kOnePerOp, machine::BaseKind::kStrong}) {
    absl::StatusOr<machine::Cost> before = machine::BaseCost(*rule.machine, marked, kind);
    if (!before.ok()) return before.status();
    absl::StatusOr<machine::Cost> after = RightSideCost(*bound, kind);
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
