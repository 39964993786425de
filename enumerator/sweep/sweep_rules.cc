#include "enumerator/sweep/sweep_rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rewrought::enumerator {
namespace {

// The maximum number of matches that a search tries, per term that it may visit.
constexpr size_t kMatchesPerTerm = 5;

uint64_t OpBit(int op) { return op < 0 ? 0 : uint64_t{1} << std::min(op, 63); }

uint8_t AddNodes(const TermTable& terms, TermIndex term, Pattern* pattern) {
  const Shape& shape = terms.shape(term);
  Pattern::Node node;
  node.op = shape.op;
  node.bits = shape.bits;
  if (shape.op == kSweepVariable) {
    node.variable = static_cast<int>(shape.leaf);
    pattern->variables |= uint32_t{1} << shape.leaf;
  } else if (shape.op == kSweepConstant) {
    node.constant = term;
  } else {
    for (size_t i = 0; i < terms.op_of(shape).source_bits.size(); ++i) {
      node.sources[i] = AddNodes(terms, shape.sources[i], pattern);
    }
  }
  pattern->nodes.push_back(node);
  return static_cast<uint8_t>(pattern->nodes.size() - 1);
}

}  // namespace

Pattern PatternOf(const TermTable& terms, TermIndex term) {
  Pattern pattern;
  AddNodes(terms, term, &pattern);
  return pattern;
}

absl::StatusOr<Pattern> PatternOf(const TermTable& terms, const ir::Term& term) {
  Pattern pattern;
  std::vector<uint8_t> place(term.nodes.size());
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& from = term.nodes[i];
    Pattern::Node node;
    node.bits = from.bits;
    if (from.kind == ir::NodeKind::kVariable) {
      node.variable = from.name.empty() ? 0 : from.name[0] - 'a';
      if (node.variable < 0 || node.variable >= terms.variables())
        return absl::InvalidArgumentError(absl::StrCat("variable ", from.name, " is not part of the sweep"));
      pattern.variables |= uint32_t{1} << node.variable;
    } else if (from.kind == ir::NodeKind::kConstant) {
      Shape constant;
      constant.op = kSweepConstant;
      constant.leaf = static_cast<int64_t>(from.values[0]);
      constant.real = from.literal == ir::LiteralKind::kFloat;
      constant.bits = from.bits;
      node.op = kSweepConstant;
      node.constant = terms.Find(constant);
      if (node.constant == kNoTerm) return absl::InvalidArgumentError("a constant is not part of the sweep");
    } else {
      const auto op = std::find_if(terms.ops().begin(), terms.ops().end(), [&](const SizedOp& sized) {
        return sized.row == from.op && sized.result_bits == from.bits;
      });
      if (op == terms.ops().end()) return absl::InvalidArgumentError("an op is not part of the sweep");
      node.op = static_cast<int>(op - terms.ops().begin());
      for (size_t s = 0; s < from.sources.size(); ++s) node.sources[s] = place[from.sources[s].node];
    }
    place[i] = static_cast<uint8_t>(i);
    pattern.nodes.push_back(node);
  }
  if (term.root + 1 != term.nodes.size()) return absl::InvalidArgumentError("a term's root must be its last node");
  return pattern;
}

SweepRules::Rule SweepRules::MakeRule(Pattern search, Pattern replace) const {
  Rule rule;
  // A rule whose replacement lacks a variable of the search side cannot be reversed, because the variable's value would
  // be unknown.
  const bool back = !directed_ && replace.root().op >= 0 && (search.variables & ~replace.variables) == 0;
  if (back) rule.directions.push_back({replace, search});
  rule.directions.insert(rule.directions.begin(), {std::move(search), std::move(replace)});
  return rule;
}

void SweepRules::Know(TermIndex term, TermIndex representative) {
  if (known_.size() < terms_.size()) known_.resize(terms_.size());
  if (leading_to_.size() < terms_.size()) leading_to_.resize(terms_.size());
  std::vector<TermIndex> rest = {term};
  while (!rest.empty()) {
    const TermIndex next = rest.back();
    rest.pop_back();
    if (known_[next].as != kNoTerm) continue;
    known_[next] = {representative, ++order_};
    rest.insert(rest.end(), leading_to_[next].begin(), leading_to_[next].end());
  }
}

void SweepRules::AddRepresentative(TermIndex term) {
  members_.resize(terms_.size());
  member_ops_.resize(terms_.size());
  members_[term] = {term};
  member_ops_[term] = OpBit(terms_.shape(term).op);
  Know(term, term);
}

void SweepRules::Open(std::vector<TermIndex> terms) {
  known_.resize(terms_.size());
  leading_to_.resize(terms_.size());
  members_.resize(terms_.size());
  member_ops_.resize(terms_.size());
  by_op_.resize(terms_.ops().size());
  open_.assign(terms_.ops().size(), {});
  for (const TermIndex term : terms) {
    open_[static_cast<size_t>(terms_.shape(term).op)].push_back(term);
    member_ops_[term] = OpBit(terms_.shape(term).op);
  }
  for (const Rule& rule : rules_) {
    for (const Direction& direction : rule.directions) Apply(direction);
  }
}

void SweepRules::Close() {
  for (std::vector<TermIndex>& of_op : open_) {
    for (const TermIndex term : of_op) {
      const TermIndex representative = known_[term].as;
      leading_to_[term] = {};
      if (representative == kNoTerm || representative == term || directed_) continue;
      members_[representative].push_back(term);
      member_ops_[representative] |= OpBit(terms_.shape(term).op);
    }
    of_op.clear();
  }
}

size_t SweepRules::AddRule(TermIndex search, TermIndex replace) {
  Know(search, replace);
  AddRule(PatternOf(terms_, search), PatternOf(terms_, replace));
  for (const Direction& direction : rules_.back().directions) Apply(direction);
  return rules_.size() - 1;
}

void SweepRules::AddRule(Pattern search, Pattern replace) {
  by_op_.resize(terms_.ops().size());
  rules_.push_back(MakeRule(std::move(search), std::move(replace)));
  const std::vector<Direction>& directions = rules_.back().directions;
  for (size_t d = 0; d < directions.size(); ++d) {
    const int op = directions[d].from.root().op;
    if (op < 0) continue;
    by_op_[static_cast<size_t>(op)].emplace_back(static_cast<uint32_t>(rules_.size() - 1), static_cast<uint8_t>(d));
  }
}

void SweepRules::AddEdge(TermIndex from, TermIndex to) {
  if (from == to) return;
  const auto lead = [&](TermIndex x, TermIndex y) {
    if (known_[y].as != kNoTerm) {
      Know(x, known_[y].as);
    } else {
      leading_to_[y].push_back(x);
    }
  };
  lead(from, to);
  if (!directed_) lead(to, from);
}

void SweepRules::Apply(const Direction& direction) {
  if (direction.from.root().op < 0 || open_.empty()) return;
  for (const TermIndex term : open_[static_cast<size_t>(direction.from.root().op)]) {
    if (known_[term].as != kNoTerm) continue;
    MatchRoot(direction.from, terms_.shape(term), kNow, [&](const Bindings& bound) {
      Shape root;
      TermIndex leaf = kNoTerm;
      if (!RootOf(direction.to, bound, kNow, false, &root, &leaf)) return false;
      const TermIndex to = leaf != kNoTerm ? leaf : terms_.Find(root);
      if (to != kNoTerm) AddEdge(term, to);
      return known_[term].as != kNoTerm;
    });
  }
}

template <typename Found>
bool SweepRules::MatchRoot(const Pattern& pattern, const Shape& shape, uint64_t before, const Found& found) const {
  Bindings none;
  none.fill(kNoTerm);
  if (pattern.root().op != shape.op) return false;
  return MatchSources(pattern, pattern.root(), shape, nullptr, none, before, found);
}

template <typename Found>
bool SweepRules::MatchSources(const Pattern& pattern, const Pattern::Node& node, const Shape& shape, const Goal* goals,
                              const Bindings& bound, uint64_t before, const Found& found) const {
  const SizedOp& op = terms_.op_of(shape);
  const size_t count = op.source_bits.size();
  for (const bool swapped : {false, true}) {
    if (swapped && (!op.commutative || shape.sources[0] == shape.sources[1])) break;
    const auto source_of = [&](size_t i) { return shape.sources[swapped && i < 2 ? 1 - i : i]; };
    bool may = true;
    for (size_t i = 0; i < count && may; ++i) {
      const int want = pattern.nodes[node.sources[i]].op;
      may = want < 0 || (member_ops_[source_of(i)] & OpBit(want)) != 0;
    }
    if (!may) continue;
    std::array<Goal, kSweepSources> more;
    const Goal* first = goals;
    size_t used = 0;
    // Goals are matched in reverse order. Variables are matched before ops, because binding them needs no search.
    for (const bool is_op : {true, false}) {
      for (size_t i = 0; i < count; ++i) {
        if ((pattern.nodes[node.sources[i]].op >= 0) != is_op) continue;
        more[used] = {node.sources[i], source_of(i), first};
        first = &more[used++];
      }
    }
    if (MatchGoals(pattern, first, bound, before, found)) return true;
  }
  return false;
}

template <typename Found>
bool SweepRules::MatchGoals(const Pattern& pattern, const Goal* goals, Bindings bound, uint64_t before,
                            const Found& found) const {
  for (; goals != nullptr; goals = goals->next) {
    const TermIndex term = goals->term;
    const Pattern::Node& want = pattern.nodes[goals->node];
    if (want.bits != terms_.shape(term).bits) return false;
    if (want.op == kSweepVariable) {
      TermIndex& binding = bound[static_cast<size_t>(want.variable)];
      if (binding != kNoTerm && binding != term) return false;
      binding = term;
    } else if (want.op == kSweepConstant) {
      if (want.constant != term) return false;
    } else {
      if (members_[term].empty()) {  // An open term matches only itself.
        return terms_.shape(term).op == want.op &&
               MatchSources(pattern, want, terms_.shape(term), goals->next, bound, before, found);
      }
      for (const TermIndex member : members_[term]) {
        const Shape& shape = terms_.shape(member);
        if (shape.op != want.op || known_[member].order >= before) continue;
        if (MatchSources(pattern, want, shape, goals->next, bound, before, found)) return true;
      }
      return false;
    }
  }
  // A variable that occurs only on the other side may have any value.
  for (size_t v = 0; v < static_cast<size_t>(terms_.variables()); ++v) {
    if (bound[v] == kNoTerm) bound[v] = static_cast<TermIndex>(v);
  }
  return found(bound);
}

TermIndex SweepRules::PartOf(const Pattern& pattern, size_t number, const Bindings& bound, uint64_t before,
                             bool open) const {
  const Pattern::Node& node = pattern.nodes[number];
  if (node.op == kSweepVariable) return bound[static_cast<size_t>(node.variable)];
  if (node.op == kSweepConstant) return node.constant;
  Shape shape;
  shape.op = node.op;
  shape.bits = node.bits;
  for (size_t i = 0; i < terms_.op_of(shape).source_bits.size(); ++i) {
    shape.sources[i] = PartOf(pattern, node.sources[i], bound, before, open);
    if (shape.sources[i] == kNoTerm) return kNoTerm;
  }
  const TermIndex term = terms_.Find(terms_.InOrder(shape));
  if (term == kNoTerm || term >= known_.size()) return kNoTerm;
  if (known_[term].as != kNoTerm && known_[term].order < before) return known_[term].as;
  return open ? term : kNoTerm;
}

bool SweepRules::RootOf(const Pattern& pattern, const Bindings& bound, uint64_t before, bool open, Shape* root,
                        TermIndex* leaf) const {
  const Pattern::Node& node = pattern.root();
  if (node.op < 0) {
    *leaf = PartOf(pattern, pattern.nodes.size() - 1, bound, before, open);
    return true;
  }
  *root = Shape();
  root->op = node.op;
  root->bits = node.bits;
  for (size_t i = 0; i < terms_.op_of(*root).source_bits.size(); ++i) {
    root->sources[i] = PartOf(pattern, node.sources[i], bound, before, open);
    if (root->sources[i] == kNoTerm) return false;
  }
  *root = terms_.InOrder(*root);
  return true;
}

TermIndex SweepRules::KnownAs(const Pattern& term) const {
  Bindings itself;
  for (size_t v = 0; v < itself.size(); ++v) itself[v] = static_cast<TermIndex>(v);
  return PartOf(term, term.nodes.size() - 1, itself, kNow, false);
}

void SweepRules::Step(const Shape& shape, Search* search) const {
  for (const auto& [rule, number] : by_op_[static_cast<size_t>(shape.op)]) {
    if (rules_[rule].left_out) continue;
    const Direction& direction = rules_[rule].directions[number];
    const bool over = MatchRoot(direction.from, shape, search->before, [&](const Bindings& bound) {
      if (search->matches_left == 0) return true;
      --search->matches_left;
      Shape root;
      TermIndex leaf = kNoTerm;
      if (!RootOf(direction.to, bound, search->before, true, &root, &leaf)) return false;
      const TermIndex to = leaf != kNoTerm ? leaf : terms_.Find(root);
      if (to != kNoTerm && known_[to].as == search->goal && known_[to].order < search->before) {
        search->arrived = true;
        return true;
      }
      if (leaf == kNoTerm && search->terms_left > 0 && search->seen.insert(root).second) {
        --search->terms_left;
        search->queue.push_back(root);
      }
      return false;
    });
    if (over) return;
  }
}

bool SweepRules::Reaches(TermIndex term, TermIndex representative, uint64_t before, size_t most) const {
  Search search;
  search.goal = representative;
  search.before = before;
  search.terms_left = most;
  search.matches_left = kMatchesPerTerm * most;
  search.seen = {terms_.shape(term)};
  search.queue = {terms_.shape(term)};
  for (size_t i = 0; i < search.queue.size() && !search.arrived && search.matches_left > 0; ++i) {
    const Shape shape = search.queue[i];
    Step(shape, &search);
  }
  return search.arrived;
}

}  // namespace rewrought::enumerator
