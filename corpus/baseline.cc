#include "corpus/baseline.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "corpus/facts.h"
#include "ir/facts/fact_predicates.h"
#include "ir/fold.h"
#include "ir/match/facts.h"
#include "ir/match/rewriter.h"

namespace rewrought::corpus {
namespace {

// Rules, folding and numbering take turns; more are never needed but where rules loop.
constexpr int kMaxRounds = 8;
// Applications for one node of a shader, on average, in one round.
constexpr size_t kMaxStepsPerNode = 8;

// Equal for values that are the same wherever one may stand for the other: an op of one block, a constant of any.
std::string NumberOf(const ir::Node& node, uint32_t block) {
  std::string number;
  if (node.kind == ir::NodeKind::kConstant) {
    absl::StrAppend(&number, "c", node.bits, ",", node.components, ",", static_cast<int>(node.literal));
    for (int i = 0; i < node.components; ++i) absl::StrAppend(&number, ",", absl::Hex(node.values[i]));
    return number;
  }
  absl::StrAppend(&number, block, node.op->name, ",", node.bits, ",", node.components, ",", node.flags);
  std::vector<std::string> sources;
  for (const ir::Source& source : node.sources) {
    sources.push_back(absl::StrCat(";", source.node));
    for (const uint8_t lane : source.swizzle) absl::StrAppend(&sources.back(), ".", lane);
  }
  if ((node.op->properties & ir::kCommutative) != 0 && sources.size() >= 2 && sources[1] < sources[0])
    std::swap(sources[0], sources[1]);
  for (const std::string& source : sources) number += source;
  return number;
}

// Lets all users of equal values read the first of them; the others are left without users.
void NumberValues(ir::Shader* shader) {
  std::vector<ir::Node>& nodes = shader->values.nodes;
  std::vector<ir::NodeIndex> first(nodes.size());
  std::iota(first.begin(), first.end(), 0);
  absl::flat_hash_map<std::string, ir::NodeIndex> numbers;
  for (ir::NodeIndex i = 0; i < nodes.size(); ++i) {
    for (ir::Source& source : nodes[i].sources) source.node = first[source.node];
    if (nodes[i].kind == ir::NodeKind::kVariable) continue;
    first[i] = numbers.try_emplace(NumberOf(nodes[i], shader->info[i].block), i).first->second;
  }
  for (ir::ShaderUse& use : shader->uses) {
    for (ir::ShaderLane& read : use.reads) read.node = first[read.node];
  }
}

}  // namespace

Baseline::Baseline(rules::RulePasses passes)
    : passes_(std::move(passes)), digest_(ir::Digest::Of(absl::StrCat("baseline-1 ", passes_.digest.hex()))) {}

size_t Baseline::Normalise(ir::Shader* shader) const {
  size_t applied = 0;
  bool loops = false;
  for (const std::vector<ir::CompiledRule>& pass : passes_.passes) {
    for (int round = 0; round < kMaxRounds; ++round) {
      shader->values = ir::FoldConstants(std::move(shader->values));
      NumberValues(shader);
      const ShaderFacts facts(*shader);
      const size_t known = shader->values.nodes.size();
      ir::MatchOptions options;
      // Nodes that a rule has built come after those that facts are known of, and keep their numbers during a run.
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
      if (result.applications.empty()) break;
      loops = loops || result.step_limit_reached;
    }
  }
  if (loops) shader->notes.push_back("rules of the baseline do not terminate");
  return applied;
}

}  // namespace rewrought::corpus
