#include "pipeline/generalize/shape.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/term_order.h"
#include "ir/text/display.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

// The maximum number of occurrences of a variable in the replacement, because every subset of them is tried.
constexpr size_t kMaxOccurrences = 4;

std::string TermText(const ir::Term& term, ir::NodeIndex root) {
  ir::Term part = term;
  part.root = root;
  return ir::DisplayTerm(part);
}

class Shape {
 public:
  Shape(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) : judge_(judge), rule_(rule), steps_(steps) {}

  void Run() {
    while (!judge_->time_is_up() && ReadSizes() &&
           (AlwaysTheSame() || WithoutOuterOp() || WithVariable() || WithSplitVariable())) {
    }
  }

 private:
  // Writes all sizes into `sized_`, so that every part of the rule keeps them.
  bool ReadSizes() {
    std::vector<ir::Rule> sized = AtAllSizes(*rule_, judge_->size_options());
    if (sized.empty()) return false;
    sized_ = std::move(sized.front());
    return true;
  }

  // Accepts `next` if it is a valid rule that `judge_` proves and that still saves instructions.
  bool Accept(ir::Rule next, std::string step) {
    if (next.search.root_node().kind != ir::NodeKind::kOp || !BindsAll(next) || !StillSaves(sized_, next)) return false;
    const absl::StatusOr<ir::Rule> read = Normalized(next, judge_->dialect());
    if (!read.ok() || !judge_->Verify(*read).proved) return false;
    *rule_ = *read;
    steps_->push_back(std::move(step));
    return true;
  }

  // If an inner Boolean of the search is always true or always false, makes this fact the rule. The rest of the rule
  // then follows from rules for constants.
  bool AlwaysTheSame() {
    for (const ir::NodeIndex op : ir::OpsInPrefixOrder(sized_.search)) {
      if (op == sized_.search.root || sized_.search.at(op).op->result.base != ir::BaseType::kBool) continue;
      for (const bool value : {false, true}) {
        ir::Rule inner = sized_;
        inner.search.root = op;
        ir::Node literal;
        literal.kind = ir::NodeKind::kConstant;
        literal.bits = 1;
        literal.values[0] = value;
        inner.replace = {{literal}, 0};
        if (Accept(std::move(inner),
                   absl::StrCat(TermText(sized_.search, op), " is always ", value ? "True" : "False")))
          return true;
      }
    }
    return false;
  }

  bool WithoutOuterOp() {
    const ir::Node& search = sized_.search.root_node();
    const ir::Node& replace = sized_.replace.root_node();
    if (replace.kind != ir::NodeKind::kOp || search.op != replace.op) return false;
    const size_t count = search.sources.size();
    const bool commutes = (search.op->properties & ir::kCommutative) && count == 2;
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        if (i != j && !commutes) continue;
        bool same = true;  // whether all other operands are equal
        for (size_t k = 0; k < count; ++k) {
          if (k == i) continue;
          const size_t l = commutes ? 1 - j : k;
          same = same &&
                 ShapeOf(sized_.search, search.sources[k].node) == ShapeOf(sized_.replace, replace.sources[l].node);
        }
        if (!same) continue;
        ir::Rule inner = sized_;
        inner.search.root = search.sources[i].node;
        inner.replace.root = replace.sources[j].node;
        if (Accept(std::move(inner), absl::StrCat("the outer ", search.op->name, " is not needed"))) return true;
      }
    }
    return false;
  }

  bool WithVariable() {
    const std::vector<ir::NodeIndex> ops = ir::OpsInPrefixOrder(sized_.search);
    for (const ir::NodeIndex op : ops) {
      if (op == sized_.search.root) continue;
      const ir::Node variable = VariableNode(FreshName(sized_), sized_.search.at(op).bits);
      const std::string shape = ShapeOf(sized_.search, op);
      ir::Rule next = sized_;
      Replace(sized_.search, shape, variable, &next.search);
      Replace(sized_.replace, shape, variable, &next.replace);
      if (Accept(std::move(next), absl::StrCat(TermText(sized_.search, op), " may be any value"))) return true;
    }
    return false;
  }

  // Replaces each node of `term` whose shape is `shape` with `variable`. `before` is an unmodified copy of `term`.
  static void Replace(const ir::Term& before, const std::string& shape, const ir::Node& variable, ir::Term* term) {
    for (ir::NodeIndex i = 0; i < before.nodes.size(); ++i) {
      if (before.at(i).kind == ir::NodeKind::kOp && ShapeOf(before, i) == shape) term->nodes[i] = variable;
    }
  }

  bool WithSplitVariable() {
    for (const std::string& name : ir::VariablesInOrder(sized_.search)) {
      const std::vector<std::pair<ir::NodeIndex, size_t>> in_search = Uses(sized_.search, name);
      const std::vector<std::pair<ir::NodeIndex, size_t>> in_replace = Uses(sized_.replace, name);
      const bool root = sized_.replace.root_node().kind == ir::NodeKind::kVariable;
      if (in_search.size() < 2 || in_replace.size() > kMaxOccurrences || root) continue;
      for (const auto& [node, source] : in_search) {
        for (size_t subset = 0; subset < size_t{1} << in_replace.size(); ++subset) {
          ir::Rule next = sized_;
          const std::string other = FreshName(next);
          Split(name, other, {{node, source}}, &next.search);
          std::vector<std::pair<ir::NodeIndex, size_t>> chosen;
          for (size_t k = 0; k < in_replace.size(); ++k) {
            if (subset >> k & 1) chosen.push_back(in_replace[k]);
          }
          Split(name, other, chosen, &next.replace);
          if (Accept(std::move(next), absl::StrCat("two occurrences of ", name, " may differ"))) return true;
        }
      }
    }
    return false;
  }

  // Returns the uses of the variable as pairs of the reading node and the operand's index.
  static std::vector<std::pair<ir::NodeIndex, size_t>> Uses(const ir::Term& term, const std::string& name) {
    std::vector<std::pair<ir::NodeIndex, size_t>> uses;
    const std::vector<bool> reached = ReachedNodes(term);
    for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
      for (size_t k = 0; reached[i] && k < term.at(i).sources.size(); ++k) {
        const ir::Node& read = term.at(term.at(i).sources[k].node);
        if (read.kind == ir::NodeKind::kVariable && read.name == name) uses.emplace_back(i, k);
      }
    }
    return uses;
  }

  // Makes the given operands read the variable `other` instead of `name`.
  static void Split(const std::string& name, const std::string& other,
                    const std::vector<std::pair<ir::NodeIndex, size_t>>& uses, ir::Term* term) {
    if (uses.empty()) return;
    ir::Term result;
    std::vector<ir::NodeIndex> moved(term->nodes.size()), renamed(term->nodes.size());
    for (ir::NodeIndex i = 0; i < term->nodes.size(); ++i) {
      ir::Node node = term->nodes[i];
      for (size_t k = 0; k < node.sources.size(); ++k) {
        const bool chosen = std::find(uses.begin(), uses.end(), std::pair(i, k)) != uses.end();
        node.sources[k].node = (chosen ? renamed : moved)[node.sources[k].node];
      }
      moved[i] = static_cast<ir::NodeIndex>(result.nodes.size());
      result.nodes.push_back(node);
      if (node.kind != ir::NodeKind::kVariable || node.name != name) continue;
      node.name = other;
      renamed[i] = static_cast<ir::NodeIndex>(result.nodes.size());
      result.nodes.push_back(std::move(node));
    }
    result.root = moved[term->root];
    *term = std::move(result);
  }

  Judge* const judge_;
  ir::Rule* const rule_;
  ir::Rule sized_;
  std::vector<std::string>* const steps_;
};

}  // namespace

void SimplifyShape(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) { Shape(judge, rule, steps).Run(); }

}  // namespace rewrought::pipeline
