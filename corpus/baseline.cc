#include "corpus/baseline.h"

#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/facts.h"
#include "ir/facts/fact_predicates.h"
#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"
#include "ir/match/value_numbering.h"

namespace rewrought::corpus {
namespace {

// The maximum number of rounds, each of which applies rules, folds constants, and merges equal values. Only rules that
// loop need more rounds.
constexpr int kMaxRounds = 8;
// The maximum number of rule applications by one pass in one round, per node of the shader.
constexpr size_t kMaxStepsPerNode = 8;

}  // namespace

Baseline::Baseline(rules::RulePasses passes)
    : passes_(std::move(passes)), digest_(ir::Digest::Of(absl::StrCat("baseline-2 ", passes_.digest.hex()))) {}

size_t Baseline::Normalise(ir::Shader* shader, std::vector<ir::NodeIndex>* origins) const {
  size_t applied = 0;
  std::vector<ir::NodeIndex> before(shader->values.nodes.size());
  std::iota(before.begin(), before.end(), 0);
  bool loops = false;
  for (const std::vector<ir::CompiledRule>& pass : passes_.passes) {
    for (int round = 0; round < kMaxRounds; ++round) {
      shader->values = ir::FoldConstants(std::move(shader->values));
      ir::NumberValues(shader);
      const ShaderFacts facts(*shader);
      const size_t known = shader->values.nodes.size();
      ir::MatchOptions options;
      // Rules append nodes to the nodes whose facts are known, and do not change the indices of existing nodes.
      options.facts = [&facts, known](const ir::PredicateQuery& query) {
        if (ir::FactsOfNodes(query)) return true;
        if (query.value.node >= known || query.base != ir::BaseType::kFloat) return false;
        for (int i = 0; i < query.components; ++i) {
          if (!ir::FactsGrant(facts.at(query.value.node, query.value.swizzle[i]), query.predicate)) return false;
        }
        return true;
      };
      const ir::RewriteResult result = ir::Rewriter(pass, options, known * kMaxStepsPerNode).Run(shader);
      applied += result.applications.size();
      std::vector<ir::NodeIndex> after;
      for (const ir::NodeIndex origin : result.origins) after.push_back(before[origin]);
      before = std::move(after);
      if (result.applications.empty()) break;
      loops = loops || result.step_limit_reached;
    }
  }
  if (loops) shader->notes.push_back({"rules of the baseline do not terminate"});
  if (origins != nullptr) *origins = std::move(before);
  return applied;
}

}  // namespace rewrought::corpus
