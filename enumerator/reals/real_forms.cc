#include "enumerator/reals/real_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "enumerator/reals/e_graph.h"
#include "enumerator/reals/real_identities.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

constexpr size_t kMaxPatternVariables = 8;
constexpr ClassId kUnbound = ~ClassId{0};
// The prices of a literal or loaded symbol, and of an op on constants, relative to the price of a typical op.
constexpr double kConstantPrice = 0.05, kConstantOpPrice = 0.01;
// The maximum number of matches of each identity in each class and round. Without this limit, a single identity would
// fill the graph if the term is a long sum.
constexpr size_t kMaxMatches = 400;
constexpr int kMaxExtractionRounds = 12;

using Binding = std::array<ClassId, kMaxPatternVariables>;

// The number of final rounds, which use only identities that reduce the number of ops, to simplify the results of the
// last full round.
constexpr int kShrinkingRounds = 4;

// An identity whose variables are numbered.
struct Identity {
  const ir::Rule* rule = nullptr;
  std::vector<int> search_variables, replace_variables;  // The number of each node's variable, or -1.
  bool shrinks = false;                                  // The replacement has fewer ops.
};

size_t OpsOf(const ir::Term& term) {
  return static_cast<size_t>(std::count_if(term.nodes.begin(), term.nodes.end(),
                                           [](const ir::Node& node) { return node.kind == ir::NodeKind::kOp; }));
}

std::vector<Identity> IdentitiesOf(int bits) {
  std::vector<Identity> identities;
  for (const ir::Rule& rule : RealIdentities(bits)) {
    Identity identity{&rule, {}, {}, OpsOf(rule.replace) < OpsOf(rule.search)};
    std::vector<std::string> names;
    const std::pair<const ir::Term*, std::vector<int>*> sides[] = {{&rule.search, &identity.search_variables},
                                                                   {&rule.replace, &identity.replace_variables}};
    for (const auto& [term, numbers] : sides) {
      for (const ir::Node& node : term->nodes) {
        if (node.kind != ir::NodeKind::kVariable) {
          numbers->push_back(-1);
          continue;
        }
        const auto found = std::find(names.begin(), names.end(), node.name);
        numbers->push_back(static_cast<int>(found - names.begin()));
        if (found == names.end()) names.push_back(node.name);
      }
    }
    if (names.size() <= kMaxPatternVariables) identities.push_back(std::move(identity));
  }
  return identities;
}

uint64_t PlainZero(uint64_t pattern, int bits) {
  return ir::IsFloatWidth(bits) && pattern == ir::FormatOf(bits).sign() ? 0 : pattern;
}

class Matcher {
 public:
  Matcher(const EGraph& graph, const Identity& identity) : graph_(graph), identity_(identity) {}

  // Calls `found` for each match of the search side at the node.
  void Match(const ClassNode& node, absl::FunctionRef<void(const Binding&)> found) {
    binding_.fill(kUnbound);
    matches_ = 0;
    Sources(identity_.rule->search.root_node(), node, [&] {
      if (matches_++ < kMaxMatches) found(binding_);
    });
  }

 private:
  using Continuation = absl::FunctionRef<void()>;

  void Sources(const ir::Node& pattern, const ClassNode& node, Continuation found) {
    if (pattern.op != node.op || matches_ >= kMaxMatches) return;
    SourceFrom(pattern, node, 0, false, found);
    const bool swaps = (node.op->properties & ir::kCommutative) != 0 && node.sources[0] != node.sources[1];
    if (swaps) SourceFrom(pattern, node, 0, true, found);
  }

  void SourceFrom(const ir::Node& pattern, const ClassNode& node, size_t place, bool swapped, Continuation found) {
    if (place == pattern.sources.size()) return found();
    const size_t read = swapped && place < 2 ? 1 - place : place;
    Class(pattern.sources[place].node, graph_.Find(node.sources[read]),
          [&] { SourceFrom(pattern, node, place + 1, swapped, found); });
  }

  void Class(ir::NodeIndex index, ClassId id, Continuation found) {
    const ir::Node& pattern = identity_.rule->search.at(index);
    if (pattern.bits != graph_.bits(id)) return;
    switch (pattern.kind) {
      case ir::NodeKind::kConstant:
        if (graph_.Literal(id) == PlainZero(pattern.values[0], pattern.bits)) found();
        return;
      case ir::NodeKind::kOp:
        for (const uint32_t member : graph_.members(id)) {
          if (graph_.node(member).op != nullptr) Sources(pattern, graph_.node(member), found);
        }
        return;
      case ir::NodeKind::kVariable: {
        ClassId& bound = binding_[identity_.search_variables[index]];
        if (bound != kUnbound) {
          if (bound == id) found();
          return;
        }
        if (pattern.constant_only && !graph_.IsConstant(id)) return;
        bound = id;
        found();
        bound = kUnbound;
        return;
      }
    }
  }

  const EGraph& graph_;
  const Identity& identity_;
  Binding binding_;
  size_t matches_ = 0;
};

// Adds the nodes of `term` to the graph and returns the class of its root. `leaf` maps the term's variables to classes.
std::optional<ClassId> AddTerm(const ir::Term& term, absl::FunctionRef<ClassId(ir::NodeIndex)> leaf, EGraph* graph) {
  std::vector<ClassId> classes;
  for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.at(i);
    if (node.kind == ir::NodeKind::kVariable) {
      classes.push_back(leaf(i));
    } else if (node.kind == ir::NodeKind::kConstant) {
      classes.push_back(graph->AddConstant(node.values[0], node.bits));
    } else {
      if (node.sources.size() > kMaxClassSources) return std::nullopt;
      ClassNode op;
      op.op = node.op;
      op.bits = node.bits;
      op.sources_count = static_cast<uint8_t>(node.sources.size());
      for (size_t s = 0; s < node.sources.size(); ++s) op.sources[s] = classes[node.sources[s].node];
      classes.push_back(graph->Add(op));
    }
  }
  return classes[term.root];
}

// Applies all identities wherever they currently match. Returns false if the graph does not change.
bool ApplyOnce(const absl::flat_hash_map<const ir::OpRow*, std::vector<const Identity*>>& by_root, size_t max_nodes,
               EGraph* graph) {
  std::vector<std::pair<ClassId, std::pair<const Identity*, Binding>>> found;
  for (size_t i = 0; i < graph->nodes(); ++i) {
    const auto rules = by_root.find(graph->node(i).op);
    if (rules == by_root.end()) continue;
    for (const Identity* identity : rules->second) {
      Matcher(*graph, *identity).Match(graph->node(i), [&](const Binding& binding) {
        found.push_back({graph->class_of(i), {identity, binding}});
      });
    }
  }
  bool changed = false;
  const size_t before = graph->nodes();
  for (const auto& [id, match] : found) {
    if (graph->nodes() > max_nodes) break;
    const auto& [identity, binding] = match;
    const auto leaf = [&](ir::NodeIndex node) { return binding[identity->replace_variables[node]]; };
    const std::optional<ClassId> built = AddTerm(identity->rule->replace, leaf, graph);
    if (built.has_value()) changed = graph->Union(*built, id) || changed;
  }
  changed = changed || graph->nodes() != before;
  graph->Rebuild();
  return changed && !graph->contradicts_itself();
}

void Saturate(const std::vector<Identity>& identities, const RealFormsOptions& options, EGraph* graph) {
  absl::flat_hash_map<const ir::OpRow*, std::vector<const Identity*>> all, shrinking;
  for (const Identity& identity : identities) {
    const ir::OpRow* const op = identity.rule->search.root_node().op;
    all[op].push_back(&identity);
    if (identity.shrinks) shrinking[op].push_back(&identity);
  }
  for (int round = 0; round < options.max_rounds && graph->nodes() < options.max_nodes; ++round) {
    if (options.stop.stop_requested() || !ApplyOnce(all, 2 * options.max_nodes, graph)) return;
  }
  for (int round = 0; round < kShrinkingRounds; ++round) {
    if (options.stop.stop_requested() || !ApplyOnce(shrinking, 3 * options.max_nodes, graph)) return;
  }
}

// Extracts the cheapest trees of every class. Trees share subtrees.
class Extraction {
 public:
  Extraction(const EGraph& graph, const OpPrice& price, size_t per_class, bool keeps_fused)
      : graph_(graph),
        price_(price),
        per_class_(per_class),
        keeps_fused_(keeps_fused),
        best_(Classes()),
        versions_(best_.size()),
        seen_(graph.nodes()) {
    for (int round = 0; round < kMaxExtractionRounds; ++round) {
      bool changed = false;
      for (size_t i = 0; i < graph_.nodes(); ++i) changed = Improve(i) || changed;
      if (!changed) break;
    }
  }

  // Returns the class's trees, cheapest first.
  std::vector<ir::Term> TermsOf(ClassId id) const {
    std::vector<ir::Term> terms;
    for (const uint32_t tree : best_[graph_.Find(id)]) {
      ir::Term term;
      absl::flat_hash_map<std::string, ir::NodeIndex> built;
      term.root = Build(tree, &term, &built);
      terms.push_back(std::move(term));
    }
    return terms;
  }

 private:
  struct Shape {
    ClassNode node;  // `sources` are trees.
    friend bool operator==(const Shape&, const Shape&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Shape& shape) {
      return H::combine(std::move(h), shape.node);
    }
  };
  struct Tree {
    ClassNode node;
    double cost = 0;
    bool constant = false;
  };

  size_t Classes() const {
    size_t count = 0;
    for (size_t i = 0; i < graph_.nodes(); ++i) {
      count = std::max<size_t>(count, graph_.class_of(i) + 1);
      for (int s = 0; s < graph_.node(i).sources_count; ++s)
        count = std::max<size_t>(count, graph_.Find(graph_.node(i).sources[s]) + 1);
    }
    return count;
  }

  double PriceOf(const ClassNode& node) {
    const auto [found, is_new] = prices_.try_emplace({node.op, node.bits}, 0);
    if (is_new) found->second = price_(*node.op, node.bits);
    return found->second;
  }

  uint32_t Intern(const ClassNode& node) {
    const auto [found, is_new] = index_.try_emplace(Shape{node}, static_cast<uint32_t>(trees_.size()));
    if (!is_new) return found->second;
    Tree tree{node, 0, true};
    if (node.op == nullptr) {
      tree.constant = node.variable < 0 || graph_.variables()[node.variable].constant;
      tree.cost = tree.constant ? kConstantPrice : 0;
    } else {
      for (int s = 0; s < node.sources_count; ++s) {
        tree.constant = tree.constant && trees_[node.sources[s]].constant;
        tree.cost += trees_[node.sources[s]].cost;
      }
      if (tree.constant) {
        tree.cost = kConstantPrice;
        for (int s = 0; s < node.sources_count; ++s) tree.cost += trees_[node.sources[s]].cost - kConstantPrice;
        tree.cost += kConstantOpPrice;
      } else {
        tree.cost += PriceOf(node);
      }
    }
    trees_.push_back(tree);
    return found->second;
  }

  // Adds `tree` to the class's list if it is among the best. Returns true if it was inserted.
  bool Offer(ClassId id, uint32_t tree) {
    std::vector<uint32_t>& list = best_[id];
    if (!std::isfinite(trees_[tree].cost) || std::find(list.begin(), list.end(), tree) != list.end()) return false;
    const auto cheaper = [&](uint32_t a, uint32_t b) {
      return std::make_pair(trees_[a].cost, a) < std::make_pair(trees_[b].cost, b);
    };
    const auto place = std::lower_bound(list.begin(), list.end(), tree, cheaper);
    if (place == list.end() && list.size() >= per_class_) return false;
    list.insert(place, tree);
    if (list.size() > per_class_) list.pop_back();
    ++versions_[id];
    return true;
  }

  // Returns true if Offer rejects every tree of this cost.
  bool RejectsCost(ClassId id, double cost) const {
    const std::vector<uint32_t>& list = best_[id];
    return list.size() >= per_class_ && cost > trees_[list.back()].cost;
  }

  bool Improve(size_t index) {
    const ClassNode& node = graph_.node(index);
    const ClassId id = graph_.class_of(index);
    if (node.op == nullptr) return Offer(id, Intern(node));
    std::array<std::vector<uint32_t>, kMaxClassSources> choices;
    uint64_t version = 0;
    for (int s = 0; s < node.sources_count; ++s) {
      choices[s] = best_[graph_.Find(node.sources[s])];
      version += versions_[graph_.Find(node.sources[s])];
      if (choices[s].empty()) return false;
    }
    if (std::exchange(seen_[index], version) == version) return false;  // Its sources have not changed.
    bool changed = false;
    const double price = PriceOf(node);
    std::array<size_t, kMaxClassSources> place = {};
    for (;;) {
      ClassNode shape = node;
      size_t rank = 0;
      double cost = price;
      bool constant = true;
      for (int s = 0; s < node.sources_count; ++s) {
        shape.sources[s] = choices[s][place[s]];
        rank += place[s];
        cost += trees_[shape.sources[s]].cost;
        constant = constant && trees_[shape.sources[s]].constant;
      }
      if (rank < per_class_ && (constant || !RejectsCost(id, cost))) changed = Offer(id, Intern(shape)) || changed;
      int s = 0;
      while (s < node.sources_count && ++place[s] == choices[s].size()) place[s++] = 0;
      if (s == node.sources_count) return changed;
    }
  }

  ir::NodeIndex Append(ir::Node node, ir::Term* term, absl::flat_hash_map<std::string, ir::NodeIndex>* built) const {
    std::string key = node.kind == ir::NodeKind::kOp         ? node.op->name
                      : node.kind == ir::NodeKind::kVariable ? "v" + node.name
                                                             : "c" + std::to_string(node.values[0]);
    key += "@" + std::to_string(node.bits);
    for (const ir::Source& source : node.sources) key += "," + std::to_string(source.node);
    const auto [found, is_new] = built->try_emplace(std::move(key), static_cast<ir::NodeIndex>(term->nodes.size()));
    if (is_new) term->nodes.push_back(std::move(node));
    return found->second;
  }

  ir::NodeIndex Build(uint32_t index, ir::Term* term, absl::flat_hash_map<std::string, ir::NodeIndex>* built) const {
    const Tree& tree = trees_[index];
    ir::Node node;
    node.bits = tree.node.bits;
    if (tree.node.op == nullptr && tree.node.variable >= 0) {
      node.name = graph_.variables()[tree.node.variable].name;
      return Append(std::move(node), term, built);
    }
    if (tree.node.op == nullptr) {
      node.kind = ir::NodeKind::kConstant;
      node.values[0] = tree.node.value;
      return Append(std::move(node), term, built);
    }
    node.kind = ir::NodeKind::kOp;
    node.op = tree.node.op;
    for (int s = 0; s < tree.node.sources_count; ++s) {
      ir::Source source;
      source.node = Build(tree.node.sources[s], term, built);
      node.sources.push_back(source);
    }
    if (node.op->name != "ffma" || keeps_fused_) return Append(std::move(node), term, built);
    ir::Node product = node;
    product.op = ir::FindOp("fmul");
    product.sources.resize(2);
    ir::Source source;
    source.node = Append(std::move(product), term, built);
    node.op = ir::FindOp("fadd");
    node.sources = {source, node.sources[2]};
    return Append(std::move(node), term, built);
  }

  const EGraph& graph_;
  const OpPrice& price_;
  const size_t per_class_;
  const bool keeps_fused_;  // Keeps ffma unchanged.
  std::vector<Tree> trees_;
  absl::flat_hash_map<Shape, uint32_t> index_;
  absl::flat_hash_map<std::pair<const ir::OpRow*, int>, double> prices_;
  std::vector<std::vector<uint32_t>> best_;
  std::vector<uint64_t> versions_;  // The version of each class's list.
  std::vector<uint64_t> seen_;      // The versions of each node's sources at its last visit.
};

// Returns the size of the term's floats, or 0 if there are several sizes, a value is neither a float nor a Boolean, or
// a node is not scalar.
int FloatSizeOf(const ir::Term& term) {
  int size = 0;
  for (const ir::Node& node : term.nodes) {
    if (node.components != 1) return 0;
    if (node.bits == 1) continue;
    if (!ir::IsFloatWidth(node.bits) || (size != 0 && size != node.bits)) return 0;
    size = node.bits;
  }
  return size;
}

bool HasFused(const ir::Term& term) {
  return std::any_of(term.nodes.begin(), term.nodes.end(),
                     [](const ir::Node& node) { return node.op != nullptr && node.op->name == "ffma"; });
}

}  // namespace

std::vector<ir::Term> FormsOverTheReals(const ir::Term& term, const std::map<std::string, double>& symbols,
                                        const OpPrice& price, const RealFormsOptions& options) {
  const int size = FloatSizeOf(term);
  if (size == 0) return {};
  EGraph graph;
  const auto leaf = [&](ir::NodeIndex index) {
    const ir::Node& node = term.at(index);
    EGraph::Variable variable{node.name, node.bits, false, std::nullopt};
    for (const ir::Node& other : term.nodes) variable.constant |= other.name == node.name && other.constant_only;
    if (const auto known = symbols.find(node.name); known != symbols.end()) variable.value = known->second;
    return graph.AddVariable(variable);
  };
  const std::optional<ClassId> root = AddTerm(term, leaf, &graph);
  if (!root.has_value()) return {};
  graph.Rebuild();
  static auto& identities =
      *new std::map<int, std::vector<Identity>>{{16, IdentitiesOf(16)}, {32, IdentitiesOf(32)}, {64, IdentitiesOf(64)}};
  Saturate(identities.at(size), options, &graph);
  if (options.stop.stop_requested() || graph.contradicts_itself()) return {};
  return Extraction(graph, price, options.forms, HasFused(term)).TermsOf(*root);
}

}  // namespace rewrought::enumerator
