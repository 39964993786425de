#include "rules/site_assumptions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/facts/fact_predicates.h"
#include "ir/site_flags.h"
#include "ir/term_order.h"

namespace rewrought::rules {
namespace {

// Sets of kinds of flags, smallest first, because each kind multiplies the number of results that a proof must
// consider.
constexpr uint8_t kKindsOfFlags[] = {ir::kNoSignedZero,
                                     ir::kNoNan,
                                     ir::kNoInf,
                                     ir::kNoSignedZero | ir::kNoNan,
                                     ir::kNoSignedZero | ir::kNoInf,
                                     ir::kNoNan | ir::kNoInf,
                                     ir::kPermissions};

// Returns the granted flags of the given kinds. Omits kBits ops, such as selects: no flag in a shader permits these ops
// to change a value that they pass through.
ir::AssumptionSet FlagsOn(const ir::Term& granted, uint8_t kinds) {
  ir::AssumptionSet set;
  for (ir::NodeIndex i = 0; i < granted.nodes.size(); ++i) {
    const ir::Node& node = granted.nodes[i];
    if (node.kind != ir::NodeKind::kOp || node.op->contract == ir::Contract::kBits) continue;
    for (const uint8_t flag : {ir::kNoSignedZero, ir::kNoNan, ir::kNoInf}) {
      if ((node.flags & kinds & flag) != 0) set.push_back({i, flag, ""});
    }
  }
  return set;
}

// Returns, for each set of kinds, the granted flags of these kinds. Omits sets that contain a kind that is not granted,
// because they equal smaller sets.
std::vector<ir::AssumptionSet> SetsByKinds(const ir::Term& granted) {
  std::vector<ir::AssumptionSet> sets;
  for (const uint8_t kinds : kKindsOfFlags) {
    ir::AssumptionSet set = FlagsOn(granted, kinds);
    uint8_t used = 0;
    for (const ir::Assumption& flag : set) used |= flag.flag;
    if (used == kinds) sets.push_back(std::move(set));
  }
  return sets;
}

bool ReadAsFloat(const ir::Term& term, const std::string& variable) {
  return std::any_of(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& node) {
    for (size_t s = 0; s < node.sources.size(); ++s) {
      const ir::Node& source = term.at(node.sources[s].node);
      if (source.kind == ir::NodeKind::kVariable && source.name == variable &&
          node.op->sources[s].base == ir::BaseType::kFloat) {
        return true;
      }
    }
    return false;
  });
}

ir::NodeIndex NodeOf(const ir::Term& term, const std::string& variable) {
  const auto node = std::find_if(term.nodes.begin(), term.nodes.end(), [&](const ir::Node& one) {
    return one.kind == ir::NodeKind::kVariable && one.name == variable;
  });
  return static_cast<ir::NodeIndex>(node - term.nodes.begin());
}

}  // namespace

std::vector<ir::AssumptionSet> AssumptionsOfSites(const ir::Term& search, const SiteProfile& sites) {
  std::vector<ir::AssumptionSet> sets(1);
  ir::Term granted = search;
  ir::ApplyNodeFlags(sites.node_flags, &granted);
  for (ir::AssumptionSet& set : SetsByKinds(granted)) sets.push_back(std::move(set));
  ir::AssumptionSet all = FlagsOn(granted, ir::kPermissions);
  const size_t flags = all.size();
  const std::vector<std::string> names = ir::VariablesInOrder(search);
  for (size_t i = 0; i < names.size() && i < sites.facts.size(); ++i) {
    std::vector<std::string> predicates = ir::GrantedPredicates(sites.facts[i]);
    if (predicates.empty() || !ReadAsFloat(search, names[i])) continue;
    all.push_back({NodeOf(search, names[i]), 0, std::move(predicates.back())});
  }
  if (all.size() > flags) sets.push_back(std::move(all));
  return sets;
}

std::vector<ir::AssumptionSet> FlagsOfAnySite(const ir::Term& search) {
  ir::Term permissive = search;
  for (ir::Node& node : permissive.nodes) node.flags = ir::kPermissions;
  return SetsByKinds(permissive);
}

std::vector<ir::Weakening> WeakerAtSites(const ir::Term& search, const SiteProfile& sites) {
  std::vector<ir::Weakening> steps;
  const std::vector<std::string> names = ir::VariablesInOrder(search);
  for (size_t i = 0; i < names.size() && i < sites.facts.size(); ++i) {
    const ir::NodeIndex node = NodeOf(search, names[i]);
    if (search.at(node).predicates.empty()) continue;
    const ir::Assumption strong{node, 0, search.at(node).predicates.front()};
    // Try no predicate first, then the weaker predicates, weakest first.
    ir::Weakening step{{strong}, {}, {}};
    for (std::string& predicate : ir::GrantedPredicates(sites.facts[i])) {
      if (predicate == strong.predicate) break;
      step.otherwise.push_back({{strong}, {{node, 0, std::move(predicate)}}, {}});
    }
    steps.push_back(std::move(step));
  }
  for (ir::Weakening& step : ir::WithoutFlags(search)) steps.push_back(std::move(step));
  return steps;
}

}  // namespace rewrought::rules
