#include "pipeline/generalize/coverage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/facts/assumptions.h"
#include "ir/facts/fact_predicates.h"
#include "ir/match/mesa_build.h"
#include "ir/term_order.h"
#include "ir/text/predicates.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

using Binding = std::map<std::string, ir::Source>;

bool Has(const std::vector<std::string>& predicates, const std::string& wanted) {
  return std::find(predicates.begin(), predicates.end(), wanted) != predicates.end();
}

// Matches the search of a rule against a part of another rule's search. Both have known sizes.
class PartMatcher {
 public:
  PartMatcher(const ir::Term& pattern, const ir::Term& term) : pattern_(pattern), term_(term) {}

  // Returns the bindings if the pattern matches the node, trying both operand orders of commutative ops.
  std::optional<Binding> At(ir::NodeIndex node) const {
    Binding binding;
    if (!Match(pattern_.root, {node}, &binding)) return std::nullopt;
    return binding;
  }

 private:
  bool Match(ir::NodeIndex at, const ir::Source& value, Binding* binding) const {
    const ir::Node& wanted = pattern_.at(at);
    const ir::Node& node = term_.at(value.node);
    if (wanted.bits != node.bits) return false;
    switch (wanted.kind) {
      case ir::NodeKind::kVariable:
        return MatchVariable(wanted, value, binding);
      case ir::NodeKind::kConstant:
        return node.kind == ir::NodeKind::kConstant && node.components == wanted.components &&
               node.values == wanted.values;
      case ir::NodeKind::kOp:
        return MatchOp(wanted, node, binding);
    }
    return false;
  }

  bool MatchVariable(const ir::Node& wanted, const ir::Source& value, Binding* binding) const {
    const ir::Node& node = term_.at(value.node);
    if (const auto bound = binding->find(wanted.name); bound != binding->end()) {
      return bound->second.swizzle == value.swizzle && ShapeOf(term_, bound->second.node) == ShapeOf(term_, value.node);
    }
    const bool is_constant = node.kind == ir::NodeKind::kConstant || node.constant_only;
    if (wanted.constant_only && !is_constant) return false;
    for (const std::string& predicate : wanted.predicates) {
      const bool stated = std::any_of(node.predicates.begin(), node.predicates.end(),
                                      [&](const std::string& known) { return ir::ImpliesPredicate(known, predicate); });
      const ir::BaseType base = ir::TypeOfUse(pattern_, wanted.name);
      const bool holds =
          node.kind == ir::NodeKind::kConstant && ir::ConstantHas(predicate, node.values[0], node.bits, base);
      if (!stated && !holds) return false;
    }
    binding->emplace(wanted.name, value);
    return true;
  }

  bool MatchOp(const ir::Node& wanted, const ir::Node& node, Binding* binding) const {
    if (node.kind != ir::NodeKind::kOp || node.op != wanted.op) return false;
    if ((wanted.flags & ~node.flags) & (ir::kPermissions | ir::kInexact)) return false;
    for (const std::string& predicate : wanted.predicates) {
      if (ir::FindPredicate(predicate) != nullptr && !Has(node.predicates, predicate)) return false;
    }
    const Binding before = *binding;
    if (MatchOperands(wanted, node, false, binding)) return true;
    *binding = before;
    return (node.op->properties & ir::kCommutative) && MatchOperands(wanted, node, true, binding);
  }

  bool MatchOperands(const ir::Node& wanted, const ir::Node& node, bool swapped, Binding* binding) const {
    for (size_t k = 0; k < wanted.sources.size(); ++k) {
      const ir::Source& value = node.sources[swapped && k < 2 ? 1 - k : k];
      if (wanted.sources[k].swizzle != value.swizzle && term_.at(value.node).components > 1) return false;
      if (!Match(wanted.sources[k].node, value, binding)) return false;
    }
    return true;
  }

  const ir::Term& pattern_;
  const ir::Term& term_;
};

// Returns `term` with node `at` replaced by the replacement of a rule.
ir::Term Applied(const ir::Term& term, ir::NodeIndex at, const ir::Term& replace, const Binding& binding) {
  ir::Term result;
  std::vector<ir::NodeIndex> moved(term.nodes.size()), built(replace.nodes.size());
  const auto append = [&](ir::Node node) {
    result.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(result.nodes.size() - 1);
  };
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    ir::Node node = term.at(i);
    for (ir::Source& source : node.sources) source.node = moved[source.node];
    moved[i] = append(std::move(node));
    if (i != at) continue;
    for (ir::NodeIndex k = 0; k < replace.nodes.size(); ++k) {
      ir::Node part = replace.at(k);
      if (part.kind == ir::NodeKind::kVariable) {
        const auto bound = binding.find(part.name);
        built[k] = bound == binding.end() ? append(std::move(part)) : moved[bound->second.node];
        continue;
      }
      for (ir::Source& source : part.sources) source.node = built[source.node];
      built[k] = append(std::move(part));
    }
    moved[i] = built[replace.root];
  }
  result.root = moved[term.root];
  return result;
}

// Folds selects with a constant condition and Boolean ops with a constant operand, as every driver tree's own rules do.
void RemoveDecided(ir::Term* term) {
  std::vector<ir::NodeIndex> same(term->nodes.size());  // for each node, a node that has its value
  for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
    ir::Node& node = term->nodes[i];
    same[i] = i;
    for (ir::Source& source : node.sources) source.node = same[source.node];
    if (node.kind != ir::NodeKind::kOp) continue;
    const auto literal = [&](size_t k) -> std::optional<bool> {
      const ir::Node& read = term->at(node.sources[k].node);
      if (read.kind != ir::NodeKind::kConstant || read.bits != 1) return std::nullopt;
      return read.values[0] != 0;
    };
    if (node.op->name == "bcsel" && literal(0).has_value()) same[i] = node.sources[*literal(0) ? 1 : 2].node;
    const bool is_and = node.op->name == "iand", is_or = node.op->name == "ior";
    if (!is_and && !is_or) continue;
    for (const size_t k : {0, 1}) {
      if (literal(k).has_value()) same[i] = node.sources[*literal(k) == is_and ? 1 - k : k].node;
    }
  }
  term->root = same[term->root];
}

bool CoversAt(const std::vector<ir::Rule>& general, const ir::Rule& special) {
  const int allowed = InstructionsOf(special);
  for (const ir::Rule& rule : general) {
    const PartMatcher matcher(rule.search, special.search);
    for (const ir::NodeIndex node : ir::OpsInPrefixOrder(special.search)) {
      const std::optional<Binding> binding = matcher.At(node);
      if (!binding.has_value()) continue;
      ir::Rule result = special;
      if (node == special.search.root) {
        result.replace = Applied(special.search, node, rule.replace, *binding);
        if (InstructionsOf(result) <= allowed) return true;
        continue;
      }
      // Only a part was rewritten, so every op that remains in the search counts as an instruction of the result.
      ir::Rule rest = special;
      rest.search = Applied(special.search, node, rule.replace, *binding);
      RemoveDecided(&rest.search);
      if (CostOf(rest).matched <= allowed) return true;
    }
  }
  return false;
}

}  // namespace

CoveringRules::CoveringRules(const std::vector<ir::Rule>& general, const ir::SizeOptions& options) : options_(options) {
  for (const ir::Rule& rule : general) {
    for (ir::Rule& sized : AtAllSizes(rule, options)) rules_.push_back(std::move(sized));
  }
}

bool CoveringRules::Cover(const ir::Rule& special) const { return CoverSizes(AtAllSizes(special, options_)); }

bool CoveringRules::CoverSizes(const std::vector<ir::Rule>& special) const {
  return !special.empty() &&
         std::all_of(special.begin(), special.end(), [&](const ir::Rule& one) { return CoversAt(rules_, one); });
}

bool Covers(const std::vector<ir::Rule>& general, const ir::Rule& special, const ir::SizeOptions& options) {
  return CoveringRules(general, options).Cover(special);
}

}  // namespace rewrought::pipeline
