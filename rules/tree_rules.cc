#include "rules/tree_rules.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "machine/base/base_selection.h"
#include "machine/sample_constants.h"
#include "rules/sharing.h"

namespace rewrought::rules {
namespace {

// The maximum number of steps. This limit is needed because the rules of a tree may undo each other if they are applied
// in another order.
constexpr size_t kMaxSteps = 200;
// A rule and a pass count as looping after this number of alternations.
constexpr int kTurns = 8;
// The number of times that a pass is run, each time followed by constant folding.
constexpr int kRounds = 3;

// Returns a callback that decides predicates on variables from the preconditions in `search`, and predicates on
// constants from their values.
ir::FactCallback FactsOfRule(const ir::Term& search) {
  std::map<std::string, std::vector<std::string>> predicates;
  for (const ir::Node& node : search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && !node.predicates.empty()) predicates[node.name] = node.predicates;
  }
  return [predicates = std::move(predicates)](const ir::PredicateQuery& query) {
    const ir::Node& node = query.term->nodes[query.value.node];
    if (node.kind != ir::NodeKind::kVariable) return ir::FactsOfNodes(query);
    const auto known = predicates.find(node.name);
    return known != predicates.end() &&
           std::find(known->second.begin(), known->second.end(), query.predicate) != known->second.end();
  };
}

// Returns the term as it would occur in a shader: without `~`, and without predicates on ops, which are assumed to
// hold.
ir::Term AsFound(ir::Term term) {
  for (ir::Node& node : term.nodes) {
    node.flags &= static_cast<uint8_t>(~ir::kInexact);
    if (node.kind == ir::NodeKind::kOp) node.predicates.clear();
  }
  return term;
}

// Runs the pass kRounds times, each time until no rule matches.
void RunPass(const std::vector<ir::CompiledRule>& pass, const ir::MatchOptions& options, ir::Term* term) {
  for (int round = 0; round < kRounds; ++round) {
    ir::Rewriter(pass, options, kMaxSteps).Run(term);
    *term = ir::FoldConstants(std::move(*term));
  }
}

}  // namespace

bool TreeRules::Subsume(const machine::Candidate& rule) const {
  if (SharingLevels(rule.search).has_value()) return false;  // a sharing rule saves instructions in other chains
  const machine::Candidate sample = machine::WithSampleConstants(rule);
  const absl::StatusOr<machine::Cost> ours = machine::RightSideCost(sample);
  if (!ours.ok()) return false;
  ir::MatchOptions options;
  options.facts = FactsOfRule(sample.search);
  ir::Term term = AsFound(sample.search);
  for (const std::vector<ir::CompiledRule>& pass : passes_.passes) {
    RunPass(pass, options, &term);
    const absl::StatusOr<machine::Cost> theirs = machine::BaseCost(*rule.machine, term, machine::BaseKind::kTuned);
    if (theirs.ok() && std::make_pair(theirs->issue_cycles, theirs->instructions) <=
                           std::make_pair(ours->issue_cycles, ours->instructions)) {
      return true;
    }
  }
  return false;
}

bool TreeRules::Loops(const machine::Candidate& start, absl::Span<const ir::CompiledRule> ours, size_t pass) const {
  const machine::Candidate sample = machine::WithSampleConstants(start);
  ir::MatchOptions options;
  options.facts = FactsOfRule(sample.search);
  ir::Term term = AsFound(sample.search);
  for (int turn = 0; turn < kTurns; ++turn) {
    if (ir::Rewriter(ours, options, kMaxSteps).Run(&term).applications.empty()) return false;
    RunPass(passes_.passes[pass], options, &term);
  }
  return true;
}

std::vector<bool> TreeRules::FindLooping(absl::Span<const machine::Candidate> rules, size_t pass) const {
  std::vector<bool> undone(rules.size(), false);
  if (pass >= passes_.passes.size()) return undone;
  std::vector<size_t> places;  // indices of the NIR rules that do not loop alone
  std::vector<ir::CompiledRule> compiled;
  for (size_t i = 0; i < rules.size(); ++i) {
    // Sharing rules are applied a limited number of times, so they cannot loop (docs/passes.md, section 2).
    if (rules[i].program.has_value() || SharingLevels(rules[i].search).has_value()) continue;
    absl::StatusOr<ir::CompiledRule> rule = ir::CompiledRule::Compile(machine::NirTuple(rules[i]));
    if (!rule.ok()) continue;
    undone[i] = Loops(rules[i], {&*rule, 1}, pass);
    if (undone[i]) continue;
    places.push_back(i);
    compiled.push_back(*std::move(rule));
  }
  for (size_t k = 0; k < places.size();) {
    if (!Loops(rules[places[k]], compiled, pass)) {
      ++k;
      continue;
    }
    undone[places[k]] = true;
    places.erase(places.begin() + static_cast<ptrdiff_t>(k));
    compiled.erase(compiled.begin() + static_cast<ptrdiff_t>(k));
    k = 0;
  }
  return undone;
}

}  // namespace rewrought::rules
