#include "rules/site_rule.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/facts/value_facts.h"
#include "ir/match/relation.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_rules.h"
#include "machine/base/base_selection.h"
#include "machine/base/constants.h"
#include "machine/sample_constants.h"
#include "rules/known_rules.h"
#include "rules/sharing.h"

namespace rewrought::rules {
namespace {

ir::Term Below(const ir::Term& term, ir::NodeIndex root) {
  ir::Term below = term;
  below.root = root;
  below.nodes.resize(root + 1);  // sources precede their users
  return below;
}

// Returns the multi-use intermediates that are not needed to compute another multi-use intermediate.
std::vector<ir::NodeIndex> OutermostMultiUse(const ir::Term& term, uint64_t multi_use) {
  const std::vector<ir::NodeIndex> order = ir::OpsInPrefixOrder(term);
  std::vector<bool> covered(term.nodes.size(), false);
  std::vector<ir::NodeIndex> outermost;
  const std::function<void(ir::NodeIndex)> cover = [&](ir::NodeIndex node) {
    if (covered[node]) return;
    covered[node] = true;
    for (const ir::Source& source : term.at(node).sources) cover(source.node);
  };
  std::vector<ir::NodeIndex> shared;
  for (size_t i = 1; i < order.size(); ++i) {
    if ((multi_use >> i & 1) != 0) shared.push_back(order[i]);
  }
  std::sort(shared.rbegin(), shared.rend());  // users first
  for (const ir::NodeIndex node : shared) {
    if (covered[node]) continue;
    outermost.push_back(node);
    cover(node);
  }
  return outermost;
}

constexpr uint8_t kEveryPermission = ir::kNoSignedZero | ir::kNoNan | ir::kNoInf;

// Returns the ops in prefix order, with repetitions, as in ir::Match::ops.
std::vector<ir::NodeIndex> OpsAsWritten(const ir::Term& term) {
  std::vector<ir::NodeIndex> ops;
  const std::function<void(ir::NodeIndex)> visit = [&](ir::NodeIndex node) {
    if (term.at(node).kind != ir::NodeKind::kOp) return;
    ops.push_back(node);
    for (const ir::Source& source : term.at(node).sources) visit(source.node);
  };
  visit(ir::MatchedRoot(term));
  return ops;
}

size_t SaturatedVariables(const ir::Term& term) {
  std::set<std::string> names;
  for (const ir::Node& node : term.nodes) {
    if (node.kind != ir::NodeKind::kOp || node.op->name != "fsat") continue;
    const ir::Node& source = term.at(node.sources[0].node);
    if (source.kind == ir::NodeKind::kVariable) names.insert(source.name);
  }
  return names.size();
}

// Returns the number of fsats that the rule removes but that are free even without the rule, because the machine can
// saturate the result of the instruction that computes the variable.
double FreeSaturations(const machine::Candidate& rule, const std::vector<ir::ValueFacts>& facts) {
  const auto& modifiers = rule.machine->modifiers();
  const bool has_modifier = std::any_of(modifiers.begin(), modifiers.end(),
                                        [](const machine::Modifier& modifier) { return modifier.nir == "fsat"; });
  const auto saturable = static_cast<size_t>(
      std::count_if(facts.begin(), facts.end(), [](const ir::ValueFacts& of) { return of.saturable; }));
  if (!has_modifier || saturable == 0 || rule.program.has_value()) return 0;
  const size_t before = SaturatedVariables(rule.search), after = SaturatedVariables(rule.replace);
  return static_cast<double>(std::min(saturable, before - std::min(before, after)));
}

absl::StatusOr<machine::Cost> CostOfSaturation(const machine::Machine& machine) {
  const absl::StatusOr<ir::Term> term = ir::ParseTerm("('fsat@32', 'a@32')");
  if (!term.ok()) return term.status();
  return machine::BaseCost(machine, *term, machine::BaseKind::kTuned);
}

// Returns the average fraction of an instruction that a sharing rule saves per chain. The rule creates the same
// instruction in several chains, and all but one of these instructions are redundant. Returns 0 for other rules.
double SharedPart(const machine::Candidate& rule, const std::vector<ir::ValueFacts>& facts) {
  const std::optional<int> levels = SharingLevels(rule.search);
  if (!levels.has_value()) return 0;
  uint32_t chains = 0;
  for (const ir::ValueFacts& of : facts) chains = std::max(chains, *levels == 1 ? of.chains : of.second_chains);
  return chains < 2 ? 0 : static_cast<double>(chains - 1) / chains;
}

absl::StatusOr<machine::Cost> CostOfRootOp(const machine::Machine& machine, const ir::Term& search) {
  ir::Term alone;
  ir::Node root = search.root_node();
  for (size_t i = 0; i < root.sources.size(); ++i) {
    ir::Node variable;
    variable.bits = search.at(root.sources[i].node).bits;
    variable.name = std::string(1, static_cast<char>('a' + i));
    root.sources[i] = {static_cast<ir::NodeIndex>(i)};
    alone.nodes.push_back(std::move(variable));
  }
  alone.root = static_cast<ir::NodeIndex>(alone.nodes.size());
  alone.nodes.push_back(std::move(root));
  return machine::BaseCost(machine, alone, machine::BaseKind::kTuned);
}

bool Pays(const machine::Candidate& rule, const ir::Term& fragment, uint64_t multi_use,
          const std::map<std::string, uint64_t>& symbols) {
  const absl::StatusOr<SiteSaving> saving = SavingAt(rule, fragment, 0, multi_use, {}, symbols);
  return saving.ok() && saving->Pays();
}

bool IsSymbol(const ir::Term& search, const std::string& name) {
  return std::any_of(search.nodes.begin(), search.nodes.end(), [&](const ir::Node& node) {
    return node.kind == ir::NodeKind::kVariable && node.name == name && node.constant_only;
  });
}

}  // namespace

std::string OpMultiset(const ir::Term& term) {
  std::vector<std::string> names;
  const ir::Term matched = ir::Matched(term);
  for (const ir::NodeIndex node : ir::OpsInPrefixOrder(matched)) names.push_back(matched.at(node).op->name);
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, " ");
}

SiteRule::SiteRule(machine::Candidate candidate, ir::CompiledRule compiled)
    : candidate_(std::move(candidate)), compiled_(std::move(compiled)) {
  const std::vector<ir::NodeIndex> single = MustHaveNoOtherUser(candidate_);
  const std::vector<ir::NodeIndex> written = OpsAsWritten(candidate_.search);
  for (size_t i = 0; i < written.size(); ++i) {
    if (std::find(single.begin(), single.end(), written[i]) != single.end()) single_use_.push_back(i);
  }
}

absl::StatusOr<SiteRule> SiteRule::Create(machine::Candidate candidate) {
  absl::StatusOr<ir::CompiledRule> compiled = CompileSearch(candidate.search);
  if (!compiled.ok()) return compiled.status();
  return SiteRule(std::move(candidate), *std::move(compiled));
}

std::optional<ir::Match> SiteRule::Matches(const ir::Term& fragment, const ir::FactCallback& facts) const {
  ir::MatchOptions options;
  options.facts = facts;
  options.literals_exact = true;
  std::optional<ir::Match> match = ir::MatchAt(compiled_, fragment, fragment.root, options);
  if (!match.has_value()) return std::nullopt;
  std::vector<ir::NodeIndex> ops = match->ops;
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  if (ops.size() != ir::OpsInPrefixOrder(fragment).size()) return std::nullopt;
  // A variable of a program is a register, which does not hold a constant.
  for (size_t i = 0; candidate_.program.has_value() && i < match->variables.size(); ++i) {
    const ir::Binding& binding = match->variables[i];
    if (!binding.bound || fragment.at(binding.node).kind == ir::NodeKind::kVariable) continue;
    if (!IsSymbol(candidate_.search, compiled_.variables()[i])) return std::nullopt;
  }
  return match;
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
  return Matches(permissive, [](const ir::PredicateQuery&) { return true; }).has_value();
}

bool SiteRule::AppliesAt(const ir::Term& fragment, uint64_t node_flags, uint64_t multi_use,
                         const std::string& facts) const {
  ir::Term marked = fragment;
  ir::ApplyNodeFlags(node_flags, &marked);
  const std::optional<ir::Match> match = Matches(marked, FactsOfSite(marked, ir::ParseFactsSummary(facts)));
  if (!match.has_value()) return false;
  const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(fragment);
  return std::none_of(single_use_.begin(), single_use_.end(), [&](size_t place) {
    const auto op = std::find(ops.begin(), ops.end(), match->ops[place]);
    return (multi_use >> (op - ops.begin()) & 1) != 0;
  });
}

bool SiteBudget::Admits(const machine::Cost& right_side) const {
  if (right_side.issue_cycles != cycles) return right_side.issue_cycles < cycles;
  return right_side.instructions < instructions || (is_whole && right_side.instructions == instructions);
}

absl::StatusOr<SiteBudget> BudgetAt(const machine::Machine& machine, const ir::Term& fragment, uint64_t multi_use,
                                    machine::BaseKind kind) {
  const absl::StatusOr<machine::Cost> whole = machine::BaseCost(machine, fragment, kind);
  if (!whole.ok()) return whole.status();
  SiteBudget budget{whole->issue_cycles, static_cast<double>(whole->instructions), multi_use == 0};
  // Base selection usually computes these intermediates as part of the fragment. An intermediate that it folds into
  // another instruction must also be computed separately.
  for (const ir::NodeIndex node : OutermostMultiUse(fragment, multi_use)) {
    const absl::StatusOr<machine::Cost> kept = machine::BaseCost(machine, Below(fragment, node), kind);
    if (!kept.ok()) return kept.status();
    budget.cycles -= kept->issue_cycles;
    budget.instructions -= kept->instructions;
  }
  return budget;
}

std::vector<SiteBudget> BudgetsAt(const machine::Machine& machine, const ir::Term& fragment,
                                  const std::set<uint64_t>& multi_use) {
  std::vector<SiteBudget> budgets;
  for (const uint64_t set : multi_use) {
    const absl::StatusOr<SiteBudget> budget = BudgetAt(machine, fragment, set);
    if (!budget.ok()) return {};
    budgets.push_back(*budget);
  }
  return budgets;
}

bool AnyAdmits(const std::vector<SiteBudget>& budgets, const machine::Cost& right_side) {
  return budgets.empty() || std::any_of(budgets.begin(), budgets.end(),
                                        [&](const SiteBudget& budget) { return budget.Admits(right_side); });
}

absl::StatusOr<SiteSaving> SavingAt(const machine::Candidate& rule, const ir::Term& fragment, uint64_t node_flags,
                                    uint64_t multi_use, const std::vector<ir::ValueFacts>& facts,
                                    const std::map<std::string, uint64_t>& symbols) {
  const absl::StatusOr<machine::Candidate> bound = machine::WithConstants(rule, symbols);
  if (!bound.ok()) return bound.status();
  ir::Term marked = fragment;
  ir::ApplyNodeFlags(node_flags, &marked);
  SiteSaving saving;
  for (const machine::BaseKind kind : {machine::BaseKind::kNaive, machine::BaseKind::kTuned}) {
    const absl::StatusOr<SiteBudget> budget = BudgetAt(*rule.machine, marked, multi_use, kind);
    if (!budget.ok()) return budget.status();
    const absl::StatusOr<machine::Cost> after = machine::RightSideCost(*bound, kind);
    if (!after.ok()) return after.status();
    const bool tuned = kind == machine::BaseKind::kTuned;
    (tuned ? saving.tuned_cycles : saving.naive_cycles) = budget->cycles - after->issue_cycles;
    (tuned ? saving.tuned_instructions : saving.naive_instructions) = budget->instructions - after->instructions;
  }
  if (const double shared = SharedPart(rule, facts); shared > 0) {
    const absl::StatusOr<machine::Cost> each = CostOfRootOp(*rule.machine, rule.search);
    if (!each.ok()) return each.status();
    saving.naive_cycles += shared * each->issue_cycles;
    saving.naive_instructions += shared * each->instructions;
    saving.tuned_cycles += shared * each->issue_cycles;
    saving.tuned_instructions += shared * each->instructions;
  }
  const double free = FreeSaturations(rule, facts);
  if (free > 0) {
    const absl::StatusOr<machine::Cost> each = CostOfSaturation(*rule.machine);
    if (!each.ok()) return each.status();
    saving.tuned_cycles -= free * each->issue_cycles;
    saving.tuned_instructions -= free * each->instructions;
  }
  return saving;
}

std::vector<ir::NodeIndex> MustHaveNoOtherUser(const machine::Candidate& rule) {
  const std::map<std::string, uint64_t> symbols = machine::SampleSymbols(rule.search);
  const ir::Term matched = ir::Matched(rule.search);
  const ir::Term fragment = machine::WithConstants(matched, symbols);
  if (!Pays(rule, fragment, 0, symbols)) return {};
  const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(matched);
  const auto uses = [&](ir::NodeIndex node) {
    int64_t count = 0;
    for (const ir::Node& user : matched.nodes) {
      count += std::count_if(user.sources.begin(), user.sources.end(),
                             [&](const ir::Source& source) { return source.node == node; });
    }
    return count;
  };
  std::vector<ir::NodeIndex> single;
  uint64_t shared = 0;                                 // nodes that may all have other users at once
  for (size_t i = 1; i < ops.size() && i < 64; ++i) {  // the root always has users
    const uint64_t with = shared | uint64_t{1} << i;
    if (Pays(rule, fragment, with, symbols)) {
      shared = with;
    } else if (uses(ops[i]) == 1) {
      single.push_back(ops[i]);
    }
  }
  return single;
}

}  // namespace rewrought::rules
