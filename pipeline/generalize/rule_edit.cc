#include "pipeline/generalize/rule_edit.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "ir/dialect/reading.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"

namespace rewrought::pipeline {
namespace {

bool IsFree(const ir::Node& node) { return node.op->name == "fneg" || node.op->name == "fabs"; }

bool IsConstant(const ir::Term& term, ir::NodeIndex index, const std::set<std::string>& constants) {
  const ir::Node& node = term.at(index);
  if (node.kind == ir::NodeKind::kConstant) return true;
  if (node.kind == ir::NodeKind::kVariable) return constants.contains(node.name);
  return std::all_of(node.sources.begin(), node.sources.end(),
                     [&](const ir::Source& source) { return IsConstant(term, source.node, constants); });
}

// Adds the number of ops that become dead together with node `index` to `removed`. Only dead ops may read that node.
void CountRemoved(const ir::Term& search, ir::NodeIndex index, std::set<ir::NodeIndex>* seen, int* removed) {
  const ir::Node& node = search.at(index);
  if (node.kind != ir::NodeKind::kOp || !seen->insert(index).second) return;
  if (!IsFree(node)) ++*removed;
  for (const ir::Source& source : node.sources) {
    if (search.at(source.node).kind == ir::NodeKind::kOp && IsUsedOnce(search.at(source.node)))
      CountRemoved(search, source.node, seen, removed);
  }
}

// Returns the shapes of the replacement's ops that cost an instruction.
std::set<std::string> InstructionShapes(const ir::Rule& rule) {
  std::set<std::string> constants, shapes;
  for (const ir::Node& node : rule.search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.constant_only) constants.insert(node.name);
  }
  const std::vector<bool> reached = ReachedNodes(rule.replace);
  for (ir::NodeIndex i = 0; i < reached.size(); ++i) {
    const ir::Node& node = rule.replace.at(i);
    if (!reached[i] || node.kind != ir::NodeKind::kOp || IsFree(node)) continue;
    if (!IsConstant(rule.replace, i, constants)) shapes.insert(ShapeOf(rule.replace, i));
  }
  return shapes;
}

}  // namespace

bool IsUsedOnce(const ir::Node& node) {
  return std::find(node.predicates.begin(), node.predicates.end(), "is_used_once") != node.predicates.end();
}

absl::StatusOr<ir::Rule> Normalized(const ir::Rule& rule, ir::Dialect dialect) {
  const ir::SizeOptions options = ir::SizeOptionsIn(dialect);
  absl::StatusOr<ir::Rule> read = ir::ParseRule(ir::DisplayRule(rule, options), 1, nullptr, options.find);
  if (!read.ok()) return read;
  read->condition = rule.condition;
  read->line = rule.line;
  return read;
}

std::vector<ir::Rule> AtAllSizes(const ir::Rule& rule, const ir::SizeOptions& options) {
  std::vector<ir::Rule> rules;
  const auto sizes = ir::EnumerateSizes(rule, options);
  if (!sizes.ok()) return rules;
  for (const ir::SizeAssignment& one : *sizes) {
    absl::StatusOr<ir::Rule> sized = ir::Instantiate(rule, one, options);
    if (sized.ok()) rules.push_back(*std::move(sized));
  }
  return rules;
}

absl::StatusOr<ir::Rule> AtUsualSizes(const ir::Rule& rule, const ir::SizeOptions& options) {
  constexpr int kUsualWidth = 32;
  const auto all = ir::EnumerateSizes(rule, options);
  if (!all.ok()) return all.status();
  const auto usual = std::find_if(all->begin(), all->end(),
                                  [](const ir::SizeAssignment& sizes) { return sizes.width == kUsualWidth; });
  return ir::Instantiate(rule, usual == all->end() ? all->front() : *usual, options);
}

std::string ShapeOf(const ir::Term& term, ir::NodeIndex index) {
  const ir::Node& node = term.at(index);
  if (node.kind == ir::NodeKind::kVariable) return absl::StrCat("'", node.name);
  if (node.kind == ir::NodeKind::kConstant) {
    const absl::Span<const uint64_t> values(node.values.data(), node.components);
    return absl::StrCat(static_cast<int>(node.literal), ":", absl::StrJoin(values, ","));
  }
  std::string text = absl::StrCat("(", node.op->name);
  for (const ir::Source& source : node.sources) {
    absl::StrAppend(&text, " ", ShapeOf(term, source.node));
    if (source.swizzle == ir::kIdentitySwizzle) continue;
    for (const uint8_t lane : source.swizzle) absl::StrAppend(&text, ".", static_cast<int>(lane));
  }
  return text + ")";
}

std::vector<bool> ReachedNodes(const ir::Term& term) {
  std::vector<bool> reached(term.nodes.size(), false);
  if (term.nodes.empty()) return reached;
  reached[term.root] = true;
  for (size_t i = term.nodes.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for (const ir::Source& source : term.nodes[i].sources) reached[source.node] = true;
  }
  return reached;
}

std::string FreshName(const ir::Rule& rule) {
  std::set<std::string> used;
  for (const ir::Term* term : {&rule.search, &rule.replace}) {
    for (const ir::Node& node : term->nodes) used.insert(node.name);
  }
  std::string name = "a";
  while (used.contains(name)) {
    if (name.back() == 'z') {
      name += 'a';
    } else {
      ++name.back();
    }
  }
  return name;
}

ir::Node VariableNode(absl::string_view name, uint8_t bits) {
  ir::Node node;
  node.kind = ir::NodeKind::kVariable;
  node.name = std::string(name);
  node.bits = bits;
  return node;
}

bool BindsAll(const ir::Rule& rule) {
  std::set<std::string> bound;
  const std::vector<bool> in_search = ReachedNodes(rule.search);
  for (size_t i = 0; i < in_search.size(); ++i) {
    if (in_search[i]) bound.insert(rule.search.nodes[i].name);
  }
  const std::vector<bool> in_replace = ReachedNodes(rule.replace);
  for (size_t i = 0; i < in_replace.size(); ++i) {
    const ir::Node& node = rule.replace.nodes[i];
    if (in_replace[i] && node.kind == ir::NodeKind::kVariable && !bound.contains(node.name)) return false;
  }
  return true;
}

RuleCost CostOf(const ir::Rule& rule) {
  RuleCost cost;
  std::set<ir::NodeIndex> seen;
  CountRemoved(rule.search, rule.search.root, &seen, &cost.removed);
  std::set<std::string> computed;
  const std::vector<bool> reached = ReachedNodes(rule.search);
  for (ir::NodeIndex i = 0; i < reached.size(); ++i) {
    const ir::Node& node = rule.search.at(i);
    if (!reached[i] || node.kind != ir::NodeKind::kOp) continue;
    computed.insert(ShapeOf(rule.search, i));
    if (!IsFree(node)) ++cost.matched;
  }
  for (const std::string& shape : InstructionShapes(rule)) cost.added += !computed.contains(shape);
  return cost;
}

int InstructionsOf(const ir::Rule& rule) { return static_cast<int>(InstructionShapes(rule).size()); }

bool StillSaves(const ir::Rule& special, const ir::Rule& general) {
  const int saved = CostOf(general).matched - InstructionsOf(general);
  return saved >= 1 || saved >= CostOf(special).matched - InstructionsOf(special);
}

}  // namespace rewrought::pipeline
