#include "corpus/fragment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/chains.h"
#include "corpus/cone.h"
#include "ir/facts/value_facts.h"

namespace rewrought::corpus {
namespace {

using Cone = std::vector<ir::NodeIndex>;  // sorted

// The maximum number of cones that are visited per root, as a multiple of max_per_root. Some of the visited cones have
// too many variables, but can be extended to cones that have few enough.
constexpr int kVisitsPerCone = 4;

class Extractor {
 public:
  Extractor(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options, ConeCache* cache)
      : shader_(shader),
        facts_(facts),
        options_(options),
        cache_(cache),
        users_(ir::ReadersOf(shader)),
        outside_uses_(ir::OutsideUses(shader)),
        chains_(shader, users_, outside_uses_) {}

  void Run(const std::function<void(const FragmentPlace&)>& visit) {
    for (ir::NodeIndex root = 0; root < shader_.values.nodes.size(); ++root) {
      if (IsOp(root)) ConesAt(root, visit);
    }
  }

 private:
  bool IsOp(ir::NodeIndex index) const {
    const ir::Node& node = shader_.values.nodes[index];
    if (node.kind != ir::NodeKind::kOp) return false;
    const absl::string_view name = node.op->name;
    return name != "mov" && name != "vec2" && name != "vec3" && name != "vec4";
  }

  int DepthOf(ir::NodeIndex index) const { return shader_.blocks[shader_.info[index].block].loop_depth; }

  bool IsProduct(ir::NodeIndex index) const {
    const ir::Node& node = shader_.values.nodes[index];
    if (node.kind != ir::NodeKind::kOp) return false;
    if (node.op->name == "fneg") return IsProduct(node.sources[0].node);
    return node.op->name == "fmul" || node.op->name == "fmulz";
  }

  // Adds facts about the op that computes variable `index` of the cone, if the cone reads the variable with an op whose
  // rules use such facts.
  void AddProducerFacts(const Cone& cone, ir::NodeIndex index, ir::ValueFacts* facts) const {
    const ir::Node& node = shader_.values.nodes[index];
    if (node.kind != ir::NodeKind::kOp) return;
    const auto read_by = [&](absl::string_view op) {
      return std::any_of(users_[index].begin(), users_[index].end(), [&](ir::NodeIndex user) {
        return std::binary_search(cone.begin(), cone.end(), user) && shader_.values.nodes[user].op->name == op;
      });
    };
    facts->product = IsProduct(index) && read_by("fadd");
    const bool on_floats = node.op->contract != ir::Contract::kBits && (node.op->properties & ir::kIsSelection) == 0;
    facts->saturable = on_floats && users_[index].size() == 1 && outside_uses_[index] == 0 && read_by("fsat");
  }

  // If the cone is part of a chain, has two or three instructions, and its innermost instruction reads variable
  // `index`, adds the number of chains that contain both the variable and the root's other source.
  void AddChainFacts(const Cone& cone, ir::NodeIndex root, ir::NodeIndex index, ir::ValueFacts* facts) const {
    if (cone.size() != 2 && cone.size() != 3) return;
    const int levels = static_cast<int>(cone.size()) - 1;
    ir::NodeIndex inner = root;
    for (const ir::NodeIndex node : cone) {
      if (shader_.values.nodes[node].op != shader_.values.nodes[root].op) return;
      const bool reads_inside = std::any_of(
          shader_.values.nodes[node].sources.begin(), shader_.values.nodes[node].sources.end(),
          [&](const ir::Source& source) { return std::binary_search(cone.begin(), cone.end(), source.node); });
      if (!reads_inside) inner = node;
    }
    const std::vector<ir::Source>& sources = shader_.values.nodes[inner].sources;
    for (size_t s = 0; s < sources.size(); ++s) {
      if (sources[s].node != index) continue;
      const int chains = chains_.Shared(inner, s, levels);
      (levels == 1 ? facts->chains : facts->second_chains) = static_cast<uint32_t>(chains);
    }
  }

  void ConesAt(ir::NodeIndex root, const std::function<void(const FragmentPlace&)>& visit);
  const FragmentPlace& Make(const Cone& cone, ir::NodeIndex root);

  const ir::Shader& shader_;
  const ShaderFacts& facts_;
  const FragmentOptions& options_;
  ConeCache* const cache_;
  const std::vector<std::vector<ir::NodeIndex>> users_;
  const std::vector<uint32_t> outside_uses_;
  const ShaderChains chains_;
  FragmentPlace place_;
  std::vector<ir::NodeIndex> outside_;
};

// Visits cones breadth-first, by size, so that the limit keeps the small cones.
void Extractor::ConesAt(ir::NodeIndex root, const std::function<void(const FragmentPlace&)>& visit) {
  std::vector<Cone> queue = {{root}};
  absl::flat_hash_set<Cone> seen = {{root}};
  int taken = 0;
  const size_t looks = static_cast<size_t>(options_.max_per_root) * kVisitsPerCone;
  for (size_t next = 0; next < queue.size() && next < looks && taken < options_.max_per_root; ++next) {
    const Cone cone = queue[next];
    const int variables = CountVariables(shader_, cone);
    if (variables <= options_.max_variables) {
      visit(Make(cone, root));
      ++taken;
    }
    const int room = options_.max_ops - static_cast<int>(cone.size());
    // One more op can remove at most one variable.
    if (room <= 0 || variables > options_.max_variables + room) continue;
    for (ir::NodeIndex member : cone) {
      for (const ir::Source& source : shader_.values.nodes[member].sources) {
        if (!IsOp(source.node) || DepthOf(source.node) != DepthOf(root)) continue;
        if (std::binary_search(cone.begin(), cone.end(), source.node)) continue;
        Cone larger = cone;
        larger.insert(std::upper_bound(larger.begin(), larger.end(), source.node), source.node);
        if (queue.size() < 2 * looks && seen.insert(larger).second) queue.push_back(std::move(larger));
      }
    }
  }
}

const FragmentPlace& Extractor::Make(const Cone& cone, ir::NodeIndex root) {
  const ConeCache::Built& built = cache_->Get(shader_, cone, root, &outside_);
  const ir::Term& term = built.form->term;
  place_.form = built.form;
  place_.loop_depth = DepthOf(root);
  place_.line = shader_.info[root].line;
  place_.facts.clear();
  for (const ConeVariable& variable : built.variables) {
    const ir::NodeIndex node = outside_[variable.node];
    ir::ValueFacts joined = facts_.at(node, variable.swizzle[0]);
    for (int c = 1; c < variable.components; ++c) {
      joined = ir::Join(joined, facts_.at(node, variable.swizzle[static_cast<size_t>(c)]));
    }
    AddProducerFacts(cone, node, &joined);
    AddChainFacts(cone, root, node, &joined);
    place_.facts.push_back(joined);
  }
  place_.multi_use.assign(term.nodes.size(), false);
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::NodeIndex origin = cone[built.origins[i]];
    if (term.nodes[i].kind != ir::NodeKind::kOp || origin == root) continue;
    place_.multi_use[i] = outside_uses_[origin] > 0 ||
                          std::any_of(users_[origin].begin(), users_[origin].end(), [&cone](ir::NodeIndex user) {
                            return !std::binary_search(cone.begin(), cone.end(), user);
                          });
  }
  return place_;
}

}  // namespace

void ForEachFragmentPlace(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                          ConeCache* cache, const std::function<void(const FragmentPlace&)>& visit) {
  cache->Trim();
  Extractor(shader, facts, options, cache).Run(visit);
}

void ForEachFragment(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                     const std::function<void(Fragment)>& visit) {
  ConeCache cache;
  ForEachFragmentPlace(shader, facts, options, &cache, [&visit](const FragmentPlace& place) {
    visit({place.form->term, place.form->text, place.facts, place.multi_use, place.loop_depth, place.line});
  });
}

}  // namespace rewrought::corpus
