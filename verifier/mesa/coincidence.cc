#include "verifier/mesa/coincidence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/facts/fact_predicates.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/match/mesa_build.h"
#include "ir/term_order.h"
#include "ir/text/rule_text.h"
#include "verifier/mesa/mesa_reading.h"

namespace rewrought::verifier {
namespace {

using ir::Node;
using ir::NodeIndex;
using ir::NodeKind;
using ir::Term;

// Returns whether the node can return more than one value for the same operands.
bool MakesChoices(const Node& node) {
  if (node.kind != NodeKind::kOp) return false;
  return node.op->contract != ir::Contract::kBits || (node.flags & (ir::kPermissions | ir::kRootMarks)) != 0 ||
         !node.op->poison.empty() || !node.op->free_zero.empty() || !node.predicates.empty();
}

// Returns whether NaN patterns are the node's only choice, so that only a node that reads bits can observe it.
bool ChoosesNanOnly(const Node& node, ir::DenormMode mode) {
  return mode == ir::DenormMode::kPreserve && (node.flags & ir::kPermissions) == 0 && node.op->poison.empty() &&
         node.op->free_zero.empty() && node.predicates.empty();
}

// Records which nodes of the search are one instruction and which variables are one value, as a union-find.
class Merger {
 public:
  explicit Merger(const Term& search) : search_(search), parent_(search.nodes.size()) {
    for (NodeIndex i = 0; i < parent_.size(); ++i) parent_[i] = i;
  }

  NodeIndex Find(NodeIndex index) const {
    while (parent_[index] != index) index = parent_[index];
    return index;
  }

  // Makes the nodes `a` and `b` one value. Returns false if they cannot be one value; some nodes may then be merged
  // already.
  bool Merge(NodeIndex a, NodeIndex b, bool swapped = false) {
    a = Find(a);
    b = Find(b);
    if (a == b) return true;
    const Node &x = search_.at(a), &y = search_.at(b);
    if (x.bits != y.bits || x.components != y.components) return false;
    if (x.kind == NodeKind::kVariable || y.kind == NodeKind::kVariable) return MergeVariable(a, b);
    if (x.kind != y.kind) return false;
    if (x.kind == NodeKind::kConstant) {
      if (x.values != y.values || x.literal != y.literal || x.predicates != y.predicates) return false;
    } else if (x.op != y.op || x.write_mask != y.write_mask || !MergeSources(x, y, swapped)) {
      return false;
    }
    parent_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  // Returns false if the variable would be the result of an op of the search; such cases are not considered.
  bool MergeVariable(NodeIndex a, NodeIndex b) {
    if (search_.at(a).kind != NodeKind::kVariable) std::swap(a, b);
    if (search_.at(b).kind == NodeKind::kOp) return false;
    if (search_.at(b).kind == NodeKind::kConstant && !Admits(search_.at(a), search_.at(b))) return false;
    // Several nodes may be the same variable.
    const std::string name = search_.at(a).name;
    for (NodeIndex i = 0; i < search_.nodes.size(); ++i) {
      const Node& node = search_.at(i);
      if (node.kind == NodeKind::kVariable && node.name == name && Find(i) != Find(b)) parent_[Find(i)] = Find(b);
    }
    return true;
  }

  // Returns whether the predicates of `variable` admit the constant. Returns true if in doubt.
  bool Admits(const Node& variable, const Node& constant) const {
    const ir::BaseType base = ir::TypeOfUse(search_, variable.name);
    return std::all_of(variable.predicates.begin(), variable.predicates.end(), [&](const std::string& predicate) {
      if (predicate == "is_not_const") return false;
      return !ir::PredicateAssumesSomething(predicate) ||
             ir::ConstantHas(predicate, constant.values[0], constant.bits, base);
    });
  }

  bool MergeSources(const Node& x, const Node& y, bool swapped) {
    for (size_t k = 0; k < x.sources.size(); ++k) {
      const ir::Source& read = y.sources[swapped && k < 2 ? 1 - k : k];
      if (x.sources[k].swizzle != read.swizzle || !Merge(x.sources[k].node, read.node)) return false;
    }
    return true;
  }

  const Term& search_;
  std::vector<NodeIndex> parent_;
};

// Copies terms with the merged nodes replaced by the first of each class.
class Rebuilder {
 public:
  Rebuilder(const Term& search, const Merger& merger) : search_(search), merger_(merger) {
    for (NodeIndex i = 0; i < search.nodes.size(); ++i) {
      const Node& node = search.at(i);
      const NodeIndex first = merger.Find(i);
      if (node.kind == NodeKind::kVariable) value_of_[node.name] = search.at(first);
    }
  }

  Term Search() const {
    Term term;
    std::map<NodeIndex, NodeIndex> copies;
    term.root = Copy(search_.root, &copies, &term);
    return term;
  }

  // Returns the replacement with its variables replaced. Its ops stay separate instructions.
  Term Replace(Term replace) const {
    for (Node& node : replace.nodes) {
      if (node.kind != NodeKind::kVariable) continue;
      const auto found = value_of_.find(node.name);
      if (found == value_of_.end()) continue;
      node = found->second;
      node.predicates.clear();
    }
    return replace;
  }

 private:
  NodeIndex Copy(NodeIndex index, std::map<NodeIndex, NodeIndex>* copies, Term* term) const {
    const NodeIndex first = merger_.Find(index);
    if (const auto known = copies->find(first); known != copies->end()) return known->second;
    Node node = search_.at(first);
    for (NodeIndex i = 0; i < search_.nodes.size(); ++i) {
      if (i == first || merger_.Find(i) != first) continue;
      const Node& other = search_.at(i);
      node.flags |= other.flags;
      node.constant_only = node.constant_only || other.constant_only;
      if (node.kind == NodeKind::kConstant) continue;  // a constant needs no predicates
      for (const std::string& predicate : other.predicates) {
        if (std::find(node.predicates.begin(), node.predicates.end(), predicate) == node.predicates.end())
          node.predicates.push_back(predicate);
      }
    }
    for (ir::Source& source : node.sources) source.node = Copy(source.node, copies, term);
    term->nodes.push_back(std::move(node));
    return (*copies)[first] = static_cast<NodeIndex>(term->nodes.size() - 1);
  }

  const Term& search_;
  const Merger& merger_;
  std::map<std::string, Node> value_of_;  // keyed by variable
};

// Returns whether `below` is a direct or indirect operand of `above`, or `above` itself.
bool Reads(const Term& term, NodeIndex above, NodeIndex below) {
  if (above == below) return true;
  return std::any_of(term.at(above).sources.begin(), term.at(above).sources.end(),
                     [&](const ir::Source& source) { return Reads(term, source.node, below); });
}

// Returns whether the node is the root, or an op that reads bits reads it.
bool IsReadAsBits(const Term& term, NodeIndex index) {
  if (index == term.root) return true;
  return std::any_of(term.nodes.begin(), term.nodes.end(), [&](const Node& user) {
    return user.kind == NodeKind::kOp && user.op->contract == ir::Contract::kBits &&
           std::any_of(user.sources.begin(), user.sources.end(),
                       [&](const ir::Source& source) { return source.node == index; });
  });
}

// Returns the mark of the half of a packed conversion that the node stands for (verifier/mesa/mesa_reading.h), or an
// empty text for any other node. The two halves belong to one instruction but make separate choices.
absl::string_view HalfOf(const Node& node) {
  for (const std::string& mark : node.predicates) {
    if (mark == kFirstHalf || mark == kSecondHalf) return mark;
  }
  return "";
}

// A pair of nodes that may be one instruction. If `swapped`, their first two operands are exchanged. If not
// `observable`, the pair makes no choice that another instruction can observe, but it is below a pair that does, and
// exchanging its operands may be the only way to make that pair one instruction.
struct Pair {
  NodeIndex first = 0, second = 0;
  bool swapped = false, observable = true;
};

// Returns whether a choice of x or y can be observed if they are one instruction.
bool IsObservable(const RuleCase& rule_case, NodeIndex x, NodeIndex y) {
  const auto observed = [&](NodeIndex index) {
    const Node& node = rule_case.search.at(index);
    return MakesChoices(node) && !(ChoosesNanOnly(node, rule_case.mode) && !IsReadAsBits(rule_case.search, x) &&
                                   !IsReadAsBits(rule_case.search, y));
  };
  return observed(x) || observed(y);
}

std::vector<Pair> PairsOf(const RuleCase& rule_case) {
  const Term& search = rule_case.search;
  std::vector<Pair> pairs, swaps;
  for (NodeIndex i = 0; i < search.nodes.size(); ++i) {
    const Node& x = search.at(i);
    if (x.kind != NodeKind::kOp) continue;
    const bool commutative = (x.op->properties & ir::kCommutative) != 0;
    for (NodeIndex j = i + 1; j < search.nodes.size(); ++j) {
      const Node& y = search.at(j);
      if (y.kind != NodeKind::kOp || y.op != x.op || Reads(search, j, i) || HalfOf(x) != HalfOf(y)) continue;
      if (IsObservable(rule_case, i, j)) {
        pairs.push_back({i, j, false});
        if (commutative) pairs.push_back({i, j, true});
      } else if (commutative) {
        swaps.push_back({i, j, true, false});
      }
    }
  }
  const size_t observable = pairs.size();
  for (const Pair& swap : swaps) {
    const auto is_above = [&](const Pair& pair) {
      return (Reads(search, pair.first, swap.first) && Reads(search, pair.second, swap.second)) ||
             (Reads(search, pair.first, swap.second) && Reads(search, pair.second, swap.first));
    };
    if (std::any_of(pairs.begin(), pairs.begin() + observable, is_above)) pairs.push_back(swap);
  }
  return pairs;
}

std::string Describe(const Term& search, const std::vector<Pair>& merged) {
  const std::vector<NodeIndex> order = ir::OpsInPrefixOrder(search);
  const auto name = [&](NodeIndex node) {
    return absl::StrCat("n", std::find(order.begin(), order.end(), node) - order.begin());
  };
  return absl::StrJoin(merged, ", ", [&](std::string* out, const Pair& pair) {
    absl::StrAppend(out, name(pair.first), " and ", name(pair.second), " are one instruction");
  });
}

std::string KeyOf(const RuleCase& rule_case) {
  std::string key = absl::StrCat(ir::PrintTerm(rule_case.search), " -> ", ir::PrintTerm(rule_case.replace));
  for (const Node& node : rule_case.search.nodes) absl::StrAppend(&key, " ", node.flags);
  return key;
}

std::optional<RuleCase> MergedCase(const RuleCase& rule_case, const std::vector<Pair>& pairs) {
  Merger merger(rule_case.search);
  for (const Pair& pair : pairs) {
    if (!merger.Merge(pair.first, pair.second, pair.swapped)) return std::nullopt;
  }
  const Rebuilder rebuilder(rule_case.search, merger);
  RuleCase merged = rule_case;
  merged.search = rebuilder.Search();
  merged.replace = rebuilder.Replace(rule_case.replace);
  return merged;
}

}  // namespace

absl::StatusOr<std::vector<CoincidingCase>> CoincidingCases(const RuleCase& rule_case) {
  const std::vector<Pair> pairs = PairsOf(rule_case);
  std::vector<CoincidingCase> cases;
  std::set<std::string> known = {KeyOf(rule_case)};
  std::vector<std::vector<Pair>> open = {{}};
  for (size_t next = 0; next < open.size(); ++next) {
    const std::vector<Pair> merged = open[next];
    for (const Pair& pair : pairs) {
      std::vector<Pair> more = merged;
      more.push_back(pair);
      std::optional<RuleCase> one = MergedCase(rule_case, more);
      if (!one.has_value() || !known.insert(KeyOf(*one)).second) continue;
      if (open.size() > kMostCoincidences) {
        return absl::ResourceExhaustedError(
            absl::StrCat("nodes of the search can be one instruction in more than ", kMostCoincidences, " ways"));
      }
      if (std::any_of(more.begin(), more.end(), [](const Pair& merge) { return merge.observable; }))
        cases.push_back({*std::move(one), Describe(rule_case.search, more)});
      open.push_back(std::move(more));
    }
  }
  return cases;
}

}  // namespace rewrought::verifier
