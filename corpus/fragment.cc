#include "corpus/fragment.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/cone.h"

namespace rewrought::corpus {
namespace {

using Cone = std::vector<ir::NodeIndex>;  // sorted

// Cones looked at per root, as a multiple of those taken: some have too many variables and only lead to others.
constexpr int kLooksPerCone = 4;

class Extractor {
 public:
  Extractor(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options)
      : shader_(shader), facts_(facts), options_(options), users_(shader.values.nodes.size()) {
    for (ir::NodeIndex i = 0; i < shader.values.nodes.size(); ++i) {
      for (const ir::Source& source : shader.values.nodes[i].sources) users_[source.node].push_back(i);
    }
  }

  void Run(const std::function<void(Fragment)>& visit) {
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

  void ConesAt(ir::NodeIndex root, const std::function<void(Fragment)>& visit);
  Fragment Make(const Cone& cone, ir::NodeIndex root) const;

  const ir::Shader& shader_;
  const ShaderFacts& facts_;
  const FragmentOptions& options_;
  std::vector<std::vector<ir::NodeIndex>> users_;
};

// Breadth first by size, so that a bound keeps the small ones.
void Extractor::ConesAt(ir::NodeIndex root, const std::function<void(Fragment)>& visit) {
  std::vector<Cone> queue = {{root}};
  absl::flat_hash_set<Cone> seen = {{root}};
  int taken = 0;
  const size_t looks = static_cast<size_t>(options_.max_per_root) * kLooksPerCone;
  for (size_t next = 0; next < queue.size() && next < looks && taken < options_.max_per_root; ++next) {
    const Cone cone = queue[next];
    const int variables = CountVariables(shader_, cone);
    if (variables <= options_.max_variables) {
      visit(Make(cone, root));
      ++taken;
    }
    const int room = options_.max_ops - static_cast<int>(cone.size());
    // One more op can take away at most one variable.
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

Fragment Extractor::Make(const Cone& cone, ir::NodeIndex root) const {
  ConeTerm built = BuildConeTerm(shader_, cone, root);
  Fragment fragment;
  fragment.loop_depth = DepthOf(root);
  fragment.line = shader_.info[root].line;
  for (const ConeVariable& variable : built.variables) {
    ValueFacts joined = facts_.at(variable.node, variable.swizzle[0]);
    for (int c = 1; c < variable.components; ++c) {
      joined = Join(joined, facts_.at(variable.node, variable.swizzle[static_cast<size_t>(c)]));
    }
    fragment.facts.push_back(joined);
  }
  for (size_t i = 0; i < built.term.nodes.size(); ++i) {
    const ir::NodeIndex origin = built.origins[i];
    bool survives = false;
    if (built.term.nodes[i].kind == ir::NodeKind::kOp && origin != root) {
      survives = shader_.info[origin].outside_uses > 0 ||
                 std::any_of(users_[origin].begin(), users_[origin].end(), [&cone](ir::NodeIndex user) {
                   return !std::binary_search(cone.begin(), cone.end(), user);
                 });
    }
    fragment.survivors.push_back(survives);
  }
  fragment.text = std::move(built.text);
  fragment.term = std::move(built.term);
  return fragment;
}

bool ReadAlike(const std::vector<ValueFacts>& a, const std::vector<ValueFacts>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ValueFacts& x, const ValueFacts& y) { return x == y || FactsText(x) == FactsText(y); });
}

}  // namespace

void ForEachFragment(const ir::Shader& shader, const ShaderFacts& facts, const FragmentOptions& options,
                     const std::function<void(Fragment)>& visit) {
  Extractor(shader, facts, options).Run(visit);
}

uint64_t FragmentTable::Add(const ir::Shader& shader) {
  const ShaderFacts facts(shader);
  absl::flat_hash_set<std::string> seen_in_shader;
  uint64_t sites = 0;
  ForEachFragment(shader, facts, options_, [&](Fragment fragment) {
    ++sites;
    Merge(std::move(fragment), shader, seen_in_shader);
  });
  total_sites_ += sites;
  return sites;
}

void FragmentTable::Merge(Fragment fragment, const ir::Shader& shader,
                          absl::flat_hash_set<std::string>& seen_in_shader) {
  FragmentEntry& entry = entries_[fragment.text];
  if (entry.count == 0) {
    entry.text = fragment.text;
    entry.term = std::move(fragment.term);
    entry.common_facts = fragment.facts;
  }
  ++entry.count;
  if (fragment.loop_depth > 0) ++entry.loop_count;
  ++entry.sources[shader.source];
  if (seen_in_shader.insert(fragment.text).second) ++entry.shaders;
  for (size_t i = 0; i < entry.common_facts.size(); ++i) {
    entry.common_facts[i] = Join(entry.common_facts[i], fragment.facts[i]);
  }
  if (entry.sites.size() < static_cast<size_t>(options_.max_sites)) {
    entry.sites.push_back({shader.name, fragment.line, fragment.loop_depth});
  }
  // Facts that read alike are one variant, with what holds of all of them.
  for (FragmentVariant& variant : entry.variants) {
    if (variant.survivors != fragment.survivors || !ReadAlike(variant.facts, fragment.facts)) continue;
    ++variant.count;
    for (size_t i = 0; i < variant.facts.size(); ++i) variant.facts[i] = Join(variant.facts[i], fragment.facts[i]);
    return;
  }
  if (entry.variants.size() < static_cast<size_t>(options_.max_variants)) {
    entry.variants.push_back({std::move(fragment.facts), std::move(fragment.survivors), 1});
  } else {
    ++entry.other_variants;
  }
}

std::vector<const FragmentEntry*> FragmentTable::Ranked() const {
  std::vector<const FragmentEntry*> ranked;
  for (const auto& [text, entry] : entries_) ranked.push_back(&entry);
  std::sort(ranked.begin(), ranked.end(), [](const FragmentEntry* a, const FragmentEntry* b) {
    const auto key = [](const FragmentEntry* entry) {
      return std::make_tuple(entry->sources.size(), entry->shaders, entry->count);
    };
    if (key(a) != key(b)) return key(a) > key(b);
    return a->text < b->text;
  });
  return ranked;
}

}  // namespace rewrought::corpus
