#include "verifier/mesa/coincidence.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/dialect/choices.h"
#include "ir/dialect/lowering.h"
#include "ir/evaluate.h"
#include "ir/facts/fact_predicates.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/match/mesa_build.h"
#include "ir/match/relation.h"
#include "ir/text/canonical.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"
#include "verifier/mesa/mesa_reading.h"

namespace rewrought::verifier {
namespace {

using ir::Node;
using ir::NodeIndex;
using ir::NodeKind;
using ir::Term;

constexpr absl::string_view kUsedOnce = "is_used_once";

struct NodeChoices {
  bool any = false;
  bool nan_only = true;  // every choice is the pattern of a NaN, which only a node that reads bits can observe
  bool value = false;    // some choice is the sign of a zero, or may be any value
};

absl::StatusOr<std::vector<NodeChoices>> ChoicesOf(const RuleCase& rule_case) {
  ir::Dag dag;
  const absl::StatusOr<ir::ChoiceTerm> lowered =
      ir::LowerWithChoicesIn(rule_case.dialect, &dag, ir::Matched(rule_case.search), rule_case.mode, 0);
  if (!lowered.ok()) return lowered.status();
  std::vector<NodeChoices> nodes(rule_case.search.nodes.size());
  for (const ir::Choice& choice : lowered->choices) {
    nodes[choice.node].any = true;
    nodes[choice.node].nan_only = nodes[choice.node].nan_only && choice.kind == ir::ChoiceKind::kNan;
    nodes[choice.node].value = nodes[choice.node].value || choice.kind == ir::ChoiceKind::kZeroSign ||
                               choice.kind == ir::ChoiceKind::kAnyValue;
  }
  return nodes;
}

// Returns whether the node is a part of an instruction (verifier/mesa/mesa_reading.h), such as one half of a packed
// conversion. The parts of one instruction make separate choices, and they are merged only together with their
// instruction.
bool IsHalf(const Node& node) {
  return std::any_of(node.predicates.begin(), node.predicates.end(),
                     [](const std::string& mark) { return mark == kFirstHalf || mark == kSecondHalf; });
}

// Returns whether the node is a half or another part of an instruction that the verifier spells out.
bool IsPart(const Node& node) {
  return IsHalf(node) || std::any_of(node.predicates.begin(), node.predicates.end(),
                                     [](const std::string& mark) { return mark == kPart; });
}

bool IsEitherZero(const Node& constant) {
  return std::find(constant.predicates.begin(), constant.predicates.end(), ir::kEitherZeroMark) !=
         constant.predicates.end();
}

bool IsZeroOfAnySign(uint64_t pattern, int bits) { return (pattern << (65 - bits)) == 0; }

// Records in a union-find structure which nodes of the search match the same instruction or have the same value. A
// class contains either ops of one kind and the variables that are bound to their result, or variables and constants.
class Merger {
 public:
  explicit Merger(const Term& search) : search_(search), parent_(search.nodes.size()) {
    for (NodeIndex i = 0; i < parent_.size(); ++i) {
      parent_[i] = i;
      for (NodeIndex j = 0; j < i && parent_[i] == i; ++j) {
        if (IsSameLeaf(search.at(i), search.at(j))) parent_[i] = Find(j);
      }
    }
  }

  // Returns the first op of the node's class, or the first node if the class has no op.
  NodeIndex Find(NodeIndex index) const {
    while (parent_[index] != index) index = parent_[index];
    return index;
  }

  // Merges the nodes `a` and `b` into one value. Returns false if they cannot have the same value; in that case, some
  // nodes may already have been merged.
  bool Merge(NodeIndex a, NodeIndex b, bool swapped = false) {
    a = Find(a);
    b = Find(b);
    if (a == b) return true;
    if (search_.at(a).kind != NodeKind::kOp || (search_.at(b).kind == NodeKind::kOp && b < a)) std::swap(a, b);
    const Node &x = search_.at(a), &y = search_.at(b);
    if (x.bits != y.bits) return false;
    if (x.components != y.components) {
      lanes_differ_ = lanes_differ_ || IsVariable(a) || IsVariable(b);
      return false;
    }
    if (x.kind == NodeKind::kOp && y.kind == NodeKind::kOp) {
      if (x.op != y.op || x.write_mask != y.write_mask || !MergeSources(x, y, swapped)) return false;
    }
    if (x.kind == NodeKind::kOp && y.kind == NodeKind::kConstant) return false;
    if (x.kind != NodeKind::kOp && b < a) std::swap(a, b);
    parent_[b] = a;
    return true;
  }

  // Merges the ops before `end` that have the same operands and the same flags. A proof for the merged ops also holds
  // for separate ops, which have more choices.
  void MergeEqualOps(size_t end) {
    for (NodeIndex i = 0; i < end; ++i) {
      for (NodeIndex j = 0; j < i && Find(i) == i; ++j) {
        if (IsSameOp(search_.at(i), search_.at(j))) parent_[i] = Find(j);
      }
    }
  }

  // Returns whether a merge failed although the two values may be the same component of a vector.
  bool lanes_differ() const { return lanes_differ_; }

 private:
  static bool IsSameLeaf(const Node& x, const Node& y) {
    if (x.kind != y.kind) return false;
    if (x.kind == NodeKind::kVariable) return x.name == y.name;
    return x.kind == NodeKind::kConstant && x.bits == y.bits && x.components == y.components && x.values == y.values &&
           x.predicates.empty() && y.predicates.empty();
  }

  bool IsSameOp(const Node& x, const Node& y) const {
    if (x.kind != NodeKind::kOp || x.op != y.op || x.bits != y.bits || x.components != y.components ||
        x.write_mask != y.write_mask || x.flags != y.flags || x.predicates != y.predicates || IsHalf(x)) {
      return false;
    }
    return std::equal(x.sources.begin(), x.sources.end(), y.sources.begin(), y.sources.end(),
                      [&](const ir::Source& a, const ir::Source& b) {
                        return a.swizzle == b.swizzle && Find(a.node) == Find(b.node);
                      });
  }

  bool IsVariable(NodeIndex index) const { return search_.at(index).kind == NodeKind::kVariable; }

  bool MergeSources(const Node& x, const Node& y, bool swapped) {
    for (size_t k = 0; k < x.sources.size(); ++k) {
      const ir::Source& read = y.sources[swapped && k < 2 ? 1 - k : k];
      if (x.sources[k].swizzle != read.swizzle) {
        lanes_differ_ = lanes_differ_ || IsVariable(x.sources[k].node) || IsVariable(read.node);
        return false;
      }
      if (!Merge(x.sources[k].node, read.node)) return false;
    }
    return true;
  }

  const Term& search_;
  std::vector<NodeIndex> parent_;
  bool lanes_differ_ = false;
};

// Returns whether the predicates of `variable` admit the constant. Returns true if this is unknown.
bool Admits(const Term& search, const Node& variable, const Node& constant) {
  if (variable.typed) return false;  // a type matches only the results of ops
  const ir::BaseType base = ir::TypeOfUse(search, variable.name);
  return std::all_of(variable.predicates.begin(), variable.predicates.end(), [&](const std::string& predicate) {
    if (predicate == "is_not_const") return false;
    if (predicate == "is_any_comp_nan" && constant.components > 1) return true;
    // For a constant, is_not_const_zero means that the constant is not zero.
    const absl::string_view of_constant =
        predicate == "is_not_const_zero" ? "is_not_zero" : absl::string_view(predicate);
    return std::all_of(constant.values.begin(), constant.values.begin() + constant.components,
                       [&](uint64_t value) { return ir::ConstantMayHave(of_constant, value, constant.bits, base); });
  });
}

// Returns the constants that the nodes of a class can equal, or an empty list if there are none. If the replacement
// reads the class (because `is_read` is set or the class contains a variable), each zero has a known sign. Fails if the
// class has a vector of zeros whose signs may differ.
absl::StatusOr<std::vector<Node>> ConstantsOf(const Term& search, const std::vector<NodeIndex>& nodes, bool is_read) {
  std::optional<Node> plain, zero;
  for (const NodeIndex index : nodes) {
    const Node& node = search.at(index);
    if (node.kind == NodeKind::kVariable) {
      is_read = true;
    } else if (IsEitherZero(node)) {
      zero = node;
    } else if (!plain.has_value()) {
      plain = node;
    } else if (plain->values != node.values) {
      return std::vector<Node>{};
    }
  }
  if (zero.has_value() && (is_read || plain.has_value()) && zero->components > 1)
    return absl::UnimplementedError("a vector of the search may be equal to a literal of zeros");
  std::vector<Node> constants;
  if (plain.has_value()) {
    if (!zero.has_value() || IsZeroOfAnySign(plain->values[0], plain->bits)) constants = {*plain};
  } else if (!is_read) {
    constants = {*zero};  // each sign remains possible
  } else {
    for (const uint64_t sign : {uint64_t{0}, uint64_t{1} << (zero->bits - 1)}) {
      constants.push_back(*zero);
      std::erase(constants.back().predicates, ir::kEitherZeroMark);
      constants.back().values.fill(0);
      constants.back().values[0] = sign;
    }
  }
  std::erase_if(constants, [&](const Node& constant) {
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeIndex index) {
      return search.at(index).kind == NodeKind::kVariable && !Admits(search, search.at(index), constant);
    });
  });
  return constants;
}

// Copies terms with the merged nodes replaced by one node for each class.
class Rebuilder {
 public:
  // `constants` maps the first node of each class that equals a constant to that constant.
  Rebuilder(const Term& search, const Merger& merger, const std::map<NodeIndex, Node>& constants)
      : search_(search), merger_(merger), constants_(constants) {
    for (NodeIndex i = 0; i < search.nodes.size(); ++i) {
      const Node& node = search.at(i);
      if (node.kind == NodeKind::kVariable) class_of_[node.name] = merger.Find(i);
    }
  }

  Term Search() const {
    Term term;
    std::map<NodeIndex, NodeIndex> copies;
    term.root = Copy(search_.root, &copies, &term);
    return term;
  }

  // Returns the replacement with its variables substituted. If a variable is the result of an op of the search, the
  // replacement contains that instruction, too. The other ops of the replacement stay separate instructions.
  Term Replace(const Term& replace) const {
    Term term;
    std::map<NodeIndex, NodeIndex> copies;
    std::vector<NodeIndex> place;
    for (Node node : replace.nodes) {
      const auto found = node.kind == NodeKind::kVariable ? class_of_.find(node.name) : class_of_.end();
      if (found != class_of_.end()) {
        place.push_back(Copy(found->second, &copies, &term));
        continue;
      }
      for (ir::Source& source : node.sources) source.node = place[source.node];
      place.push_back(static_cast<NodeIndex>(term.nodes.size()));
      term.nodes.push_back(std::move(node));
    }
    for (const auto& [of_search, copy] : copies) term.nodes[copy].predicates.clear();
    term.root = place[replace.root];
    return term;
  }

 private:
  const Node& ValueOf(NodeIndex first) const {
    const auto constant = constants_.find(first);
    return constant != constants_.end() ? constant->second : search_.at(first);
  }

  NodeIndex Copy(NodeIndex index, std::map<NodeIndex, NodeIndex>* copies, Term* term) const {
    const NodeIndex first = merger_.Find(index);
    if (const auto known = copies->find(first); known != copies->end()) return known->second;
    Node node = ValueOf(first);
    for (NodeIndex i = 0; i < search_.nodes.size() && node.kind != NodeKind::kConstant; ++i) {
      if (i == first || merger_.Find(i) != first) continue;
      const Node& other = search_.at(i);
      node.flags |= other.flags;
      node.constant_only = node.constant_only || other.constant_only;
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
  const std::map<NodeIndex, Node>& constants_;
  std::map<std::string, NodeIndex> class_of_;  // keyed by variable
};

// Returns whether `below` is a direct or indirect operand of `above`, or `above` itself.
bool Reads(const Term& term, NodeIndex above, NodeIndex below) {
  if (above == below) return true;
  return std::any_of(term.at(above).sources.begin(), term.at(above).sources.end(),
                     [&](const ir::Source& source) { return Reads(term, source.node, below); });
}

bool ReadsVariable(const Term& term, NodeIndex above, const std::string& variable) {
  const Node& node = term.at(above);
  if (node.kind == NodeKind::kVariable) return node.name == variable;
  return std::any_of(node.sources.begin(), node.sources.end(),
                     [&](const ir::Source& source) { return ReadsVariable(term, source.node, variable); });
}

// Returns whether the node is the root or an operand of an op that reads bits.
bool IsReadAsBits(const Term& term, NodeIndex index) {
  if (index == term.root) return true;
  return std::any_of(term.nodes.begin(), term.nodes.end(), [&](const Node& user) {
    return user.kind == NodeKind::kOp && user.op->contract == ir::Contract::kBits &&
           std::any_of(user.sources.begin(), user.sources.end(),
                       [&](const ir::Source& source) { return source.node == index; });
  });
}

// A pair of nodes that may match the same instruction, or an op and a variable that may be bound to its result. If
// `swapped`, the first two operands of one node are exchanged. If `observable` is false, no other instruction can
// observe the pair's choices. Such a pair is below an observable one, and exchanging its operands may be the only way
// in which the observable pair can match the same instruction.
struct Pair {
  NodeIndex first = 0, second = 0;
  bool swapped = false, observable = true;
};

class Coincidences {
 public:
  Coincidences(const RuleCase& rule_case, std::vector<NodeChoices> choices)
      : case_(rule_case),
        search_(rule_case.search),
        end_(ir::Matched(search_).nodes.size()),
        choices_(std::move(choices)) {}

  absl::StatusOr<std::vector<CoincidingCase>> Cases() const;

 private:
  // Returns whether a choice of x or y can be observed if they match the same instruction, or if one is the result of
  // the other.
  bool IsObservable(NodeIndex x, NodeIndex y) const;
  // Returns whether the node or its parts may choose the sign of a zero or one of several values.
  bool ChoosesValue(NodeIndex index) const {
    const Node& node = search_.at(index);
    if (choices_[index].value || (node.kind == NodeKind::kOp && node.op->name == ir::kWeakResult)) return true;
    return std::any_of(node.sources.begin(), node.sources.end(), [&](const ir::Source& source) {
      return IsPart(search_.at(source.node)) && ChoosesValue(source.node);
    });
  }
  std::vector<Pair> Pairs() const;
  // Returns the nodes of each class, keyed by Merger::Find.
  std::map<NodeIndex, std::vector<NodeIndex>> Classes(const Merger& merger) const;
  // Returns whether the variable may be the result of an op. Fails if its predicates restrict the result.
  absl::StatusOr<bool> MayBeResult(const Node& variable) const;
  // Adds the class and the classes of its direct and indirect operands to `below`. Returns false if a class is an
  // operand of itself. `path` contains the classes that are being visited.
  bool AddBelow(const Merger& merger, NodeIndex first, std::set<NodeIndex>* path, std::set<NodeIndex>* below) const;
  std::string Describe(const std::map<NodeIndex, std::vector<NodeIndex>>& classes,
                       const std::map<NodeIndex, Node>& constants) const;
  // Returns whether a class has at least two uses although one of its ops is marked is_used_once, so that no program
  // matches. Ignores uses that may coincide, because their users may match the same instruction.
  bool ContradictsSingleUse(const Merger& merger) const;
  // Returns the cases in which both nodes of each pair match the same instruction or have the same value. There are
  // several cases if a variable can be +0 or -0, and none if the merge is impossible.
  absl::StatusOr<std::vector<CoincidingCase>> Merged(const std::vector<Pair>& pairs) const;

  const RuleCase& case_;
  const Term& search_;
  const size_t end_;  // the nodes from here on belong to the relation, so they are not instructions
  const std::vector<NodeChoices> choices_;
};

bool Coincidences::IsObservable(NodeIndex x, NodeIndex y) const {
  const auto is_variable = [&](NodeIndex index) { return search_.at(index).kind == NodeKind::kVariable; };
  if (is_variable(x) || is_variable(y)) return ChoosesValue(x) || ChoosesValue(y);
  const bool bits_read = IsReadAsBits(search_, x) || IsReadAsBits(search_, y);
  const auto observed = [&](NodeIndex index) {
    if (choices_[index].any && (bits_read || !choices_[index].nan_only)) return true;
    const std::vector<ir::Source>& sources = search_.at(index).sources;
    return std::any_of(sources.begin(), sources.end(), [&](const ir::Source& source) {
      return IsHalf(search_.at(source.node)) && choices_[source.node].any;
    });
  };
  return observed(x) || observed(y);
}

std::vector<Pair> Coincidences::Pairs() const {
  std::vector<Pair> pairs, swaps;
  for (NodeIndex i = 0; i < end_; ++i) {
    const Node& x = search_.at(i);
    if (x.kind != NodeKind::kOp || IsHalf(x)) continue;
    // No other instruction reads a part; a variable may be bound to the whole result.
    for (NodeIndex j = 0; j < end_ && !IsPart(x) && ChoosesValue(i); ++j) {
      const Node& y = search_.at(j);
      const bool fits = y.kind == NodeKind::kVariable && y.bits == x.bits && y.components == x.components;
      if (fits && !y.constant_only && !ReadsVariable(search_, i, y.name)) pairs.push_back({i, j});
    }
    const bool commutative = (x.op->properties & ir::kCommutative) != 0;
    for (NodeIndex j = i + 1; j < end_; ++j) {
      if (search_.at(j).op != x.op || Reads(search_, j, i)) continue;
      if (IsObservable(i, j)) {
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
      return (Reads(search_, pair.first, swap.first) && Reads(search_, pair.second, swap.second)) ||
             (Reads(search_, pair.first, swap.second) && Reads(search_, pair.second, swap.first));
    };
    if (std::any_of(pairs.begin(), pairs.begin() + observable, is_above)) pairs.push_back(swap);
  }
  return pairs;
}

std::map<NodeIndex, std::vector<NodeIndex>> Coincidences::Classes(const Merger& merger) const {
  std::map<NodeIndex, std::vector<NodeIndex>> classes;
  for (NodeIndex i = 0; i < search_.nodes.size(); ++i) classes[merger.Find(i)].push_back(i);
  return classes;
}

absl::StatusOr<bool> Coincidences::MayBeResult(const Node& variable) const {
  if (variable.constant_only) return false;
  for (const std::string& predicate : variable.predicates) {
    const bool assumed = case_.trusts_ranges || !ir::IsRangePredicate(predicate);
    if (assumed && ir::PredicateAssumesSomething(predicate)) {
      return absl::UnimplementedError(absl::StrCat(variable.name, " may be the result of a node of the search, and ",
                                                   predicate, " of that result is not expressible"));
    }
  }
  return true;
}

bool Coincidences::AddBelow(const Merger& merger, NodeIndex first, std::set<NodeIndex>* path,
                            std::set<NodeIndex>* below) const {
  if (path->contains(first)) return false;
  if (!below->insert(first).second) return true;
  path->insert(first);
  for (const ir::Source& source : search_.at(first).sources) {
    if (!AddBelow(merger, merger.Find(source.node), path, below)) return false;
  }
  path->erase(first);
  return true;
}

std::string Coincidences::Describe(const std::map<NodeIndex, std::vector<NodeIndex>>& classes,
                                   const std::map<NodeIndex, Node>& constants) const {
  bool any_observable = false;
  std::vector<std::string> facts;
  for (const auto& [first, nodes] : classes) {
    bool observable = false;
    std::vector<std::string> ops;
    std::set<std::string> variables;
    for (const NodeIndex x : nodes) {
      if (search_.at(x).kind == NodeKind::kVariable) variables.insert(search_.at(x).name);
      if (search_.at(x).kind != NodeKind::kOp) continue;
      for (const NodeIndex y : nodes) observable = observable || (x != y && IsObservable(x, y));
      Term part = search_;
      part.root = x;
      ops.push_back(ir::PrintTerm(part));
    }
    any_observable = any_observable || observable;
    if (observable && ops.size() > 1) facts.push_back(absl::StrJoin(ops, " and ") + " match the same instruction");
    const auto constant = constants.find(first);
    for (const std::string& variable : variables) {
      if (!ops.empty()) facts.push_back(absl::StrCat(variable, " is the result of ", ops[0]));
      if (constant != constants.end())
        facts.push_back(absl::StrCat(variable, " is ", ir::PrintTerm({{constant->second}, 0})));
    }
  }
  return any_observable ? absl::StrJoin(facts, ", ") : "";
}

bool Coincidences::ContradictsSingleUse(const Merger& merger) const {
  struct Use {
    NodeIndex user = 0, used = 0;
  };
  std::map<NodeIndex, std::vector<Use>> uses;  // of each class with a mark
  for (NodeIndex i = 0; i < end_; ++i) {
    const Node& node = search_.at(i);
    if (node.kind != NodeKind::kOp) continue;
    // The parts of one instruction would count as several users.
    if (node.op->name == ir::kWeakResult || IsPart(node)) return false;
    if (std::find(node.predicates.begin(), node.predicates.end(), kUsedOnce) != node.predicates.end())
      uses[merger.Find(i)];
  }
  if (uses.empty()) return false;
  // An op that the pattern contains several times may match several instructions, of which only one is in the class. An
  // operand of a spelled-out instruction (mesa_reading.h) also counts several times, although it is used once.
  std::vector<size_t> occurrences(search_.nodes.size());
  std::function<void(NodeIndex)> count = [&](NodeIndex index) {
    if (++occurrences[index] > 2) return;
    for (const ir::Source& source : search_.at(index).sources) count(source.node);
  };
  count(search_.root);
  for (NodeIndex i = 0; i < end_; ++i) {
    if (search_.at(i).kind == NodeKind::kOp && occurrences[i] > 1) uses.erase(merger.Find(i));
  }
  for (NodeIndex i = 0; i < end_; ++i) {
    for (const ir::Source& source : search_.at(i).sources) {
      if (const auto found = uses.find(merger.Find(source.node)); found != uses.end())
        found->second.push_back({i, source.node});
    }
  }
  const auto are_distinct = [&](const Use& x, const Use& y) {
    if (x.used == y.used) return false;
    if (x.user == y.user || search_.at(x.user).op != search_.at(y.user).op) return true;
    return Reads(search_, x.user, y.user) || Reads(search_, y.user, x.user);
  };
  for (const auto& [first, all] : uses) {
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (are_distinct(all[i], all[j])) return true;
      }
    }
  }
  return false;
}

absl::StatusOr<std::vector<CoincidingCase>> Coincidences::Merged(const std::vector<Pair>& pairs) const {
  Merger merger(search_);
  for (const Pair& pair : pairs) {
    if (merger.Merge(pair.first, pair.second, pair.swapped)) continue;
    if (!merger.lanes_differ()) return std::vector<CoincidingCase>{};
    return absl::UnimplementedError(
        "nodes of the search may match the same instruction if components of vectors are equal");
  }
  // Check this before merging equal ops, because they may be different instructions.
  if (ContradictsSingleUse(merger)) return std::vector<CoincidingCase>{};
  merger.MergeEqualOps(end_);
  const std::map<NodeIndex, std::vector<NodeIndex>> classes = Classes(merger);
  std::set<NodeIndex> path, all, results;  // results: the classes that the replacement contains as instructions
  if (!AddBelow(merger, merger.Find(search_.root), &path, &all)) return std::vector<CoincidingCase>{};
  for (const auto& [first, nodes] : classes) {
    if (search_.at(first).kind != NodeKind::kOp) continue;
    for (const NodeIndex index : nodes) {
      if (search_.at(index).kind == NodeKind::kConstant) return std::vector<CoincidingCase>{};
      if (search_.at(index).kind != NodeKind::kVariable) continue;
      const absl::StatusOr<bool> may = MayBeResult(search_.at(index));
      if (!may.ok()) return may.status();
      if (!*may) return std::vector<CoincidingCase>{};
      AddBelow(merger, first, &path, &results);
    }
  }
  std::vector<std::map<NodeIndex, Node>> choices = {{}};
  for (const auto& [first, nodes] : classes) {
    const auto is_constant = [&](NodeIndex index) { return search_.at(index).kind == NodeKind::kConstant; };
    const bool is_read = results.contains(first);
    if (std::none_of(nodes.begin(), nodes.end(), is_constant) || (nodes.size() == 1 && !is_read)) continue;
    const absl::StatusOr<std::vector<Node>> constants = ConstantsOf(search_, nodes, is_read);
    if (!constants.ok()) return constants.status();
    std::vector<std::map<NodeIndex, Node>> extended;
    for (const Node& constant : *constants) {
      for (std::map<NodeIndex, Node> choice : choices) {
        choice[first] = constant;
        extended.push_back(std::move(choice));
      }
    }
    choices = std::move(extended);
  }
  std::vector<CoincidingCase> cases;
  for (const std::map<NodeIndex, Node>& constants : choices) {
    const Rebuilder rebuilder(search_, merger, constants);
    RuleCase merged = case_;
    merged.search = rebuilder.Search();
    merged.replace = rebuilder.Replace(case_.replace);
    cases.push_back({std::move(merged), Describe(classes, constants)});
  }
  return cases;
}

absl::StatusOr<std::vector<CoincidingCase>> Coincidences::Cases() const {
  const auto is_weak = [](const Node& node) { return node.kind == NodeKind::kOp && node.op->name == ir::kWeakResult; };
  // Merging does not exchange the factors inside the parts of an instruction.
  if (std::count_if(search_.nodes.begin(), search_.nodes.end(), is_weak) > 1)
    return absl::UnimplementedError("two ffma_weak of the search may match the same instruction");
  const std::vector<Pair> pairs = Pairs();
  std::vector<CoincidingCase> found;
  std::set<std::string> known;
  std::vector<std::vector<Pair>> open;
  const auto add = [&](std::vector<Pair> merged) -> absl::Status {
    absl::StatusOr<std::vector<CoincidingCase>> cases = Merged(merged);
    if (!cases.ok()) return cases.status();
    bool is_new = false;
    for (CoincidingCase& one : *cases) {
      const std::string key = ir::CanonicalText(one.rule_case.search) + ir::CanonicalText(one.rule_case.replace);
      if (!known.insert(key).second) continue;
      is_new = true;
      if (!one.description.empty()) found.push_back(std::move(one));
    }
    if (!is_new) return absl::OkStatus();
    if (open.size() > kMostCoincidences) {
      return absl::ResourceExhaustedError(
          absl::StrCat("nodes of the search can match the same instruction in more than ", kMostCoincidences, " ways"));
    }
    open.push_back(std::move(merged));
    return absl::OkStatus();
  };
  if (absl::Status status = add({}); !status.ok()) return status;
  for (size_t next = 0; next < open.size(); ++next) {
    for (const Pair& pair : pairs) {
      std::vector<Pair> more = open[next];
      more.push_back(pair);
      if (absl::Status status = add(std::move(more)); !status.ok()) return status;
    }
  }
  return found;
}

}  // namespace

absl::StatusOr<std::vector<CoincidingCase>> CoincidingCases(const RuleCase& rule_case) {
  absl::StatusOr<std::vector<NodeChoices>> choices = ChoicesOf(rule_case);
  if (!choices.ok()) return choices.status();
  return Coincidences(rule_case, *std::move(choices)).Cases();
}

}  // namespace rewrought::verifier
