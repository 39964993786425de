#include "audit/shadow.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "audit/rule_reading.h"
#include "ir/dialect/nir26_predicates.h"
#include "ir/match/facts.h"
#include "ir/match/match.h"
#include "ir/text/predicates.h"
#include "ir/text/sizes.h"
#include "verifier/inexact/inexact.h"

namespace rewrought::audit {
namespace {

// Returns whether a variable of the earlier rule requires a type. The types of the later rule's variables are unknown,
// so shadowing by such a rule cannot be shown.
bool AsksForType(const ir::Term& search) {
  return std::any_of(search.nodes.begin(), search.nodes.end(), [](const ir::Node& node) { return node.typed; });
}

bool ConditionImplies(absl::string_view later, absl::string_view earlier) {
  const std::vector<std::string> given = Conjuncts(later);
  for (const std::string& part : Conjuncts(earlier)) {
    if (std::find(given.begin(), given.end(), part) == given.end()) return false;
  }
  return true;
}

bool HasMark(const ir::Node& node, absl::string_view mark) {
  return std::find(node.predicates.begin(), node.predicates.end(), mark) != node.predicates.end();
}

// Returns whether all instructions that the later rule matches permit what Mesa 26 requires of the instructions that
// the earlier rule matches: `~` and `contract` are conditions on a node and on all nodes below it, and `~` implies
// `contract`.
bool PermitsAsMuch(const ir::Term& later, const ir::Term& earlier) {
  const ir::Node& root = later.root_node();
  if ((root.flags & ir::kInexact) != 0) return true;
  return std::none_of(earlier.nodes.begin(), earlier.nodes.end(), [&](const ir::Node& node) {
    return (node.flags & ir::kInexact) != 0 || (HasMark(node, ir::kContract) && !HasMark(root, ir::kContract));
  });
}

size_t CountReaders(const ir::Term& term, ir::NodeIndex value) {
  size_t count = 0;
  for (const ir::Node& node : term.nodes) {
    for (const ir::Source& source : node.sources) count += source.node == value ? 1 : 0;
  }
  return count;
}

// Returns true if the predicate holds wherever the later rule applies: the later rule requires the same predicate, or
// the value is a constant that satisfies it.
bool SurelyHolds(const ir::PredicateQuery& query, bool is_26) {
  const ir::Node& node = query.term->nodes[query.value.node];
  // In Mesa 26, a predicate may hold for one reader of a value and not for another one, and the term does not state for
  // which reader the later rule requires it.
  const bool unclear =
      is_26 && ir::DependsOnReaderIn26(query.predicate) && CountReaders(*query.term, query.value.node) > 1;
  if (!unclear && HasMark(node, query.predicate)) return true;
  // A variable may be a constant, so nothing is known about its value.
  if (node.kind == ir::NodeKind::kVariable) return false;
  const ir::PredicateInfo* info = ir::FindPredicate(query.predicate);
  if (info == nullptr || info->kind == ir::PredicateKind::kExpression || info->kind == ir::PredicateKind::kSharing) {
    return false;
  }
  // Other predicates on the structure of an op may inspect a variable below the op, about which nothing is known.
  if (info->kind == ir::PredicateKind::kStructural && query.predicate != "is_not_const" &&
      query.predicate != "is_not_const_zero" && query.predicate != "is_fmul") {
    return false;
  }
  return ir::FactsOfNodes(query);
}

// Returns `search` with -0 instead of each zero literal that matches both zeros. Returns nullopt if there is no such
// literal.
std::optional<ir::Term> WithNegativeZeros(const ir::Term& search) {
  ir::Term negative = search;
  bool any = false;
  for (ir::Node& node : negative.nodes) {
    if (node.kind != ir::NodeKind::kConstant) continue;
    if (std::find(node.predicates.begin(), node.predicates.end(), ir::kEitherZeroMark) == node.predicates.end())
      continue;
    std::fill(node.values.begin(), node.values.end(), uint64_t{1} << (node.bits - 1));
    any = true;
  }
  if (!any) return std::nullopt;
  return negative;
}

// Sets the size of each True and False to one bit, as in Mesa; our grammar allows other sizes.
ir::Rule WithOneBitTruths(ir::Rule rule) {
  for (ir::Node& node : rule.search.nodes) {
    if (node.kind == ir::NodeKind::kConstant && node.literal == ir::LiteralKind::kBool && node.bits == 0) node.bits = 1;
  }
  return rule;
}

// Copies a search side as a tree over its variables, because a repeated subterm may match two different instructions or
// constants.
class TreeOf {
 public:
  explicit TreeOf(const ir::Term& from) : from_(from) {}

  // Returns nullopt if the tree is too large.
  std::optional<ir::Term> Copy() {
    to_.root = CopyNode(from_.root);
    if (to_.nodes.size() >= kMaxNodes) return std::nullopt;
    return std::move(to_);
  }

 private:
  static constexpr size_t kMaxNodes = 4096;

  ir::NodeIndex CopyNode(ir::NodeIndex index) {
    if (to_.nodes.size() >= kMaxNodes) return 0;
    ir::Node node = from_.at(index);
    if (node.kind == ir::NodeKind::kVariable) {
      const auto [place, added] = variables_.try_emplace(node.name, static_cast<ir::NodeIndex>(to_.nodes.size()));
      if (!added) return place->second;
    }
    for (ir::Source& source : node.sources) source.node = CopyNode(source.node);
    to_.nodes.push_back(std::move(node));
    return static_cast<ir::NodeIndex>(to_.nodes.size() - 1);
  }

  const ir::Term& from_;
  ir::Term to_;
  std::map<std::string, ir::NodeIndex> variables_;
};

class Pass {
 public:
  Pass(const std::vector<PassRule>& rules, const ir::SizeOptions& sizes)
      : rules_(rules), sizes_(sizes), compiled_(rules.size()) {
    for (size_t i = 0; i < rules.size(); ++i) {
      if (!rules[i].rule.has_value()) continue;
      absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(WithOneBitTruths(*rules[i].rule));
      if (!compiled.ok()) continue;
      for (const ir::OpRow* op : compiled->root_ops()) by_root_[op].push_back(i);
      compiled_[i] = *std::move(compiled);
    }
  }

  std::optional<size_t> ShadowOf(size_t later) const {
    if (!compiled_[later].has_value()) return std::nullopt;
    const ir::Rule& rule = *rules_[later].rule;
    absl::StatusOr<std::vector<ir::SizeAssignment>> assignments = ir::EnumerateSizes(rule, sizes_);
    if (!assignments.ok()) return std::nullopt;
    std::vector<ir::Term> searches;
    for (const ir::SizeAssignment& assignment : *assignments) {
      absl::StatusOr<ir::Rule> concrete = ir::Instantiate(rule, assignment, sizes_);
      if (!concrete.ok()) continue;
      std::optional<ir::Term> tree = TreeOf(concrete->search).Copy();
      if (!tree.has_value()) return std::nullopt;
      if (std::optional<ir::Term> negative = WithNegativeZeros(*tree)) searches.push_back(*std::move(negative));
      searches.push_back(*std::move(tree));
    }
    if (searches.empty()) return std::nullopt;
    const auto candidates = by_root_.find(searches[0].root_node().op);
    if (candidates == by_root_.end()) return std::nullopt;
    for (const size_t earlier : candidates->second) {
      if (earlier >= later) break;
      if (TakesAll(earlier, rule, searches)) return earlier;
    }
    return std::nullopt;
  }

 private:
  bool TakesAll(size_t earlier, const ir::Rule& later, const std::vector<ir::Term>& searches) const {
    const ir::Rule& rule = *rules_[earlier].rule;
    const bool is_26 = sizes_.literals_exact;
    if (is_26 && !PermitsAsMuch(later.search, rule.search)) return false;
    if (!ConditionImplies(later.condition, rule.condition) || AsksForType(rule.search)) return false;
    if (verifier::IsMarkedInexact(rule.search) && !verifier::IsMarkedInexact(later.search)) return false;
    if ((rule.search.root_node().flags & ir::kInexact) && !(later.search.root_node().flags & ir::kInexact))
      return false;
    ir::MatchOptions options;
    options.facts = [&](const ir::PredicateQuery& query) { return SurelyHolds(query, is_26); };
    options.literals_exact = sizes_.literals_exact;
    for (const ir::Term& search : searches) {
      const std::optional<ir::Match> match = ir::MatchAt(*compiled_[earlier], search, search.root, options);
      if (!match.has_value()) return false;
    }
    return true;
  }

  const std::vector<PassRule>& rules_;
  const ir::SizeOptions& sizes_;
  std::vector<std::optional<ir::CompiledRule>> compiled_;
  std::map<const ir::OpRow*, std::vector<size_t>> by_root_;  // rule indices in order
};

}  // namespace

std::vector<std::optional<size_t>> FindShadows(const std::vector<PassRule>& rules, const ir::SizeOptions& sizes) {
  const Pass pass(rules, sizes);
  std::vector<std::optional<size_t>> shadows(rules.size());
  for (size_t i = 0; i < rules.size(); ++i) shadows[i] = pass.ShadowOf(i);
  return shadows;
}

}  // namespace rewrought::audit
