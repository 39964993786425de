#include "emitter/lburg/grammar_pattern.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/match/relation.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

absl::Status Cannot(absl::string_view what) { return absl::FailedPreconditionError(what); }

bool Commutes(const ir::Node& node) {
  return node.kind == ir::NodeKind::kOp && (node.op->properties & ir::kCommutative) != 0 && node.sources.size() >= 2 &&
         node.sources[0].node != node.sources[1].node;
}

// Returns the source of `node` at position `index` after exchanging the first two sources if `exchanged` is set.
ir::NodeIndex SourceAt(const ir::Node& node, size_t index, bool exchanged) {
  return node.sources[exchanged && index < 2 ? 1 - index : index].node;
}

absl::Status CheckNode(const ir::Term& term, const ir::Node& node) {
  if (node.kind == ir::NodeKind::kConstant) {
    return node.components > 1 ? Cannot("it matches a constant with several components") : absl::OkStatus();
  }
  if (node.kind == ir::NodeKind::kVariable) {
    const bool letters = !node.name.empty() && std::all_of(node.name.begin(), node.name.end(), absl::ascii_isalpha);
    if (!letters) return Cannot("a variable's name must consist of letters");
    return node.typed || node.flags != 0 ? Cannot("it requires a variable to have a type or flags") : absl::OkStatus();
  }
  if ((node.flags & (ir::kExact | ir::kInexact)) != 0) return Cannot("a grammar cannot test whether a node is exact");
  if (node.write_mask != ir::kWritesAll) return Cannot("it matches a value with undefined components");
  for (const ir::Source& source : node.sources) {
    for (int c = 0; c < term.at(source.node).components; ++c) {
      if (source.swizzle[c] != c) return Cannot("it matches a swizzle");
    }
  }
  return absl::OkStatus();
}

// Writes a search side in one operand order.
class Writer {
 public:
  // `order` has a bit for each commutative op in prefix order. `relation` is the relation between constants, or empty.
  Writer(const ir::Term& term, const ir::Term& relation, const PatternRequirements& needs, size_t order)
      : term_(term), relation_(relation), needs_(needs), order_(order) {}

  GrammarPattern Write() {
    GrammarPattern pattern;
    pattern.tree = Tree(term_.root, "a", &pattern);
    if (!relation_.nodes.empty()) Ask("RELATION", "", Expression(relation_.root));
    if (!needs_.condition.empty()) conditions_.push_back(absl::StrCat("CONDITION(", needs_.condition, ")"));
    pattern.condition = absl::StrJoin(conditions_, " && ");
    return pattern;
  }

  size_t commuting() const { return commuting_; }

 private:
  void Ask(absl::string_view what, absl::string_view of, const std::string& place) {
    conditions_.push_back(absl::StrCat(what, "(", of, of.empty() ? "" : ", ", place, ")"));
  }

  GrammarTree Tree(ir::NodeIndex index, const std::string& place, GrammarPattern* pattern) {
    const ir::Node& node = term_.at(index);
    if (node.kind != ir::NodeKind::kOp) {
      pattern->leaves.push_back(node.kind == ir::NodeKind::kVariable ? node.name : "-");
      return {Leaf(index, place), {}};
    }
    const std::pair<ir::NodeFlag, const char*> flags[] = {
        {ir::kNoSignedZero, "nsz"}, {ir::kNoNan, "nnan"}, {ir::kNoInf, "ninf"}};
    for (const auto& [flag, name] : flags) {
      if ((node.flags & flag) != 0) Ask("FLAG", name, place);
    }
    if (needs_.inexact) Ask("INEXACT", "", place);
    AddPredicates(node, place);
    const bool exchanged = Commutes(node) && (order_ >> std::min<size_t>(commuting_++, 63) & 1) != 0;
    GrammarTree tree{TerminalOf(term_, index), {}};
    for (size_t i = 0; i < node.sources.size(); ++i) {
      tree.operands.push_back(Tree(SourceAt(node, i, exchanged), absl::StrCat("CHILD(", place, ",", i, ")"), pattern));
    }
    return tree;
  }

  // Returns the text of a value in the relation: a constant's bits, a literal, or an op's terminal as a function.
  std::string Expression(ir::NodeIndex index) const {
    const ir::Node& node = relation_.at(index);
    if (node.kind == ir::NodeKind::kVariable) return absl::StrCat("BITS(", seen_.at(node.name), ")");
    if (node.kind == ir::NodeKind::kConstant) return absl::StrCat("0x", absl::Hex(node.values[0]));
    std::vector<std::string> sources;
    for (const ir::Source& source : node.sources) sources.push_back(Expression(source.node));
    return absl::StrCat(TerminalOf(relation_, index), "(", absl::StrJoin(sources, ","), ")");
  }

  void AddPredicates(const ir::Node& node, const std::string& place) {
    for (const std::string& predicate : node.predicates) {
      if (predicate != ir::kManyCommutative) Ask("PREDICATE", predicate, place);
    }
  }

  // Returns the name of a leaf and adds its conditions.
  std::string Leaf(ir::NodeIndex index, const std::string& place) {
    const ir::Node& node = term_.at(index);
    if (node.kind == ir::NodeKind::kConstant) {
      const bool either =
          std::find(node.predicates.begin(), node.predicates.end(), ir::kEitherZeroMark) != node.predicates.end();
      Ask("CONSTANT", either ? "EITHER_ZERO" : absl::StrCat("0x", absl::Hex(node.values[0])), place);
      return TerminalOf(term_, index);
    }
    const auto [first, is_new] = seen_.try_emplace(node.name, place);
    if (!is_new) {
      Ask("SAME", first->second, place);
    } else {
      AddPredicates(node, place);
      if (needs_.uniform.contains(node.name)) Ask("UNIFORM", "", place);
    }
    if (node.constant_only) return TerminalOf(term_, index);
    return NonterminalOf(node.bits, needs_.flags.contains(node.name));
  }

  const ir::Term& term_;
  const ir::Term& relation_;
  const PatternRequirements& needs_;
  const size_t order_;
  size_t commuting_ = 0;
  std::vector<std::string> conditions_;
  std::map<std::string, std::string> seen_;
};

// Returns whether the tree's leaves starting at `*leaf` match the value, and advances `*leaf` past them.
bool Matches(const GrammarTree& tree, const std::vector<std::string>& leaves, const ir::Term& term, ir::NodeIndex index,
             size_t* leaf) {
  const ir::Node& node = term.at(index);
  if (node.kind != ir::NodeKind::kOp) {
    if (!tree.operands.empty() || *leaf >= leaves.size()) return false;
    const std::string& name = leaves[(*leaf)++];
    const bool literal = node.kind == ir::NodeKind::kConstant;
    const bool constant = literal || node.constant_only;
    const bool same = constant ? tree.name == TerminalOf(term, index)
                               : tree.name == NonterminalOf(node.bits, false) || tree.name == NonterminalOf(1, true);
    return same && name == (literal ? "-" : node.name);
  }
  if (tree.name != TerminalOf(term, index) || tree.operands.size() != node.sources.size()) return false;
  for (const bool exchanged : {false, true}) {
    if (exchanged && !Commutes(node)) return false;
    size_t at = *leaf;
    bool all = true;
    for (size_t i = 0; i < node.sources.size() && all; ++i) {
      all = Matches(tree.operands[i], leaves, term, SourceAt(node, i, exchanged), &at);
    }
    if (all) return *leaf = at, true;
  }
  return false;
}

}  // namespace

std::string NonterminalOf(int bits, bool is_flag) { return is_flag ? "flag" : absl::StrCat("r", bits); }

std::string TerminalOf(const ir::Term& search, ir::NodeIndex index) {
  const ir::Node& node = search.at(index);
  if (node.kind != ir::NodeKind::kOp) return absl::StrCat("constant_", static_cast<int>(node.bits));
  int free = node.op->result.bits == 0 ? node.bits : 0;
  for (size_t i = 0; i < node.sources.size() && free == 0; ++i) {
    if (node.op->sources[i].bits == 0) free = search.at(node.sources[i].node).bits;
  }
  const bool per_component = node.op->result.components == 0;
  return absl::StrCat(node.op->name, free != 0 ? absl::StrCat("_", free) : "",
                      per_component && node.components > 1 ? absl::StrCat("x", static_cast<int>(node.components)) : "");
}

absl::StatusOr<std::vector<GrammarPattern>> GrammarPatterns(const ir::Term& whole, const PatternRequirements& needs) {
  const ir::Term search = ir::Matched(whole), relation = ir::RelationOf(whole);
  if (search.root_node().kind != ir::NodeKind::kOp) return Cannot("its search side is not an op");
  for (const ir::Node& node : search.nodes) {
    if (absl::Status status = CheckNode(search, node); !status.ok()) return status;
  }
  std::vector<GrammarPattern> patterns;
  std::set<std::string> seen;
  size_t orders = 1;
  for (size_t order = 0; order < orders; ++order) {
    Writer writer(search, relation, needs, order);
    GrammarPattern pattern = writer.Write();
    orders = std::min(kMaxOrders, size_t{1} << std::min<size_t>(writer.commuting(), 30));
    // If exchanging operands only renames variables, both orders match the same values.
    const std::string text = absl::StrCat(PrintTree(pattern.tree), " ", pattern.condition);
    if (seen.insert(text).second) patterns.push_back(std::move(pattern));
  }
  return patterns;
}

absl::Status CompareTree(const GrammarTree& tree, const std::vector<std::string>& leaves, const ir::Term& whole) {
  const ir::Term search = ir::Matched(whole);
  size_t leaf = 0;
  if (Matches(tree, leaves, search, search.root, &leaf) && leaf == leaves.size()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its pattern is ", PrintTree(tree), " of ", absl::StrJoin(leaves, " ")));
}

}  // namespace rewrought::emitter
