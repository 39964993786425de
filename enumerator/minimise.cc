#include "enumerator/minimise.h"

#include <algorithm>

#include "ir/match/match.h"
#include "ir/match/rewriter.h"

namespace rewrought::enumerator {
namespace {

constexpr size_t kMaxSteps = 64;

size_t OpsOf(const ir::Term& term) {
  return static_cast<size_t>(std::count_if(term.nodes.begin(), term.nodes.end(),
                                           [](const ir::Node& node) { return node.kind == ir::NodeKind::kOp; }));
}

bool Derived(const GeneralRule& rule, const std::vector<const GeneralRule*>& others) {
  std::vector<ir::CompiledRule> compiled;
  std::vector<const GeneralRule*> sources;
  ir::SizeOptions sizes;
  sizes.literals_exact = true;
  for (const GeneralRule* other : others) {
    absl::StatusOr<ir::CompiledRule> ready = ir::CompiledRule::Compile(other->rule, sizes);
    if (!ready.ok()) continue;
    compiled.push_back(*std::move(ready));
    sources.push_back(other);
  }
  ir::MatchOptions options;
  options.literals_exact = true;
  ir::Term term = rule.found.search;
  if (rule.program.has_value()) {
    for (size_t i = 0; i < compiled.size(); ++i) {
      if (sources[i]->found.cost <= rule.found.cost && ir::MatchAt(compiled[i], term, term.root, options)) return true;
    }
    return false;
  }
  const ir::RewriteResult result = ir::Rewriter(compiled, options, kMaxSteps).Run(&term);
  return !result.applications.empty() && !result.step_limit_reached && OpsOf(term) <= OpsOf(rule.found.replace);
}

}  // namespace

std::vector<GeneralRule> Minimise(std::vector<GeneralRule> rules, RunStatistics* run_statistics) {
  std::vector<bool> kept(rules.size(), true);
  for (size_t i = rules.size(); i-- > 0;) {
    std::vector<const GeneralRule*> others;
    for (size_t j = 0; j < rules.size(); ++j) {
      if (j != i && kept[j]) others.push_back(&rules[j]);
    }
    kept[i] = !Derived(rules[i], others);
  }
  std::vector<GeneralRule> result;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (kept[i]) result.push_back(std::move(rules[i]));
  }
  run_statistics->minimal += result.size();
  return result;
}

}  // namespace rewrought::enumerator
