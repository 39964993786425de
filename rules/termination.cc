#include "rules/termination.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "ir/fold.h"
#include "ir/match/match.h"
#include "ir/text/canonical.h"
#include "ir/text/predicates.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"

namespace rewrought::rules {
namespace {

constexpr size_t kSizesTried = 4;

// Nodes below the root in topological order; the others are dropped.
void CopyBelow(const ir::Term& from, ir::NodeIndex index, std::map<ir::NodeIndex, ir::NodeIndex>* moved, ir::Term* to) {
  if (moved->contains(index)) return;
  ir::Node node = from.nodes[index];
  for (ir::Source& source : node.sources) {
    CopyBelow(from, source.node, moved, to);
    source.node = moved->at(source.node);
  }
  (*moved)[index] = static_cast<ir::NodeIndex>(to->nodes.size());
  to->nodes.push_back(std::move(node));
}

ir::Term Sorted(const ir::Term& term) {
  ir::Term sorted;
  std::map<ir::NodeIndex, ir::NodeIndex> moved;
  CopyBelow(term, term.root, &moved, &sorted);
  sorted.root = moved.at(term.root);
  return sorted;
}

// Variables that only match constants become constants, each its own.
ir::Term WithSamples(ir::Term term) {
  uint64_t sample = 3;
  for (ir::Node& node : term.nodes) {
    node.predicates.clear();
    node.flags = 0;
    if (node.kind != ir::NodeKind::kVariable) continue;
    node.typed = false;
    if (!node.constant_only) continue;
    node.kind = ir::NodeKind::kConstant;
    node.constant_only = false;
    node.name.clear();
    node.literal = ir::LiteralKind::kBits;
    const uint64_t one = node.bits == 64   ? 0x3ff0000000000000u
                         : node.bits == 32 ? 0x3f800000u
                         : node.bits == 16 ? 0x3c00u
                                           : 0u;
    node.values.fill(node.bits == 1 ? sample & 1 : one + sample);
    sample += 2;
  }
  return term;
}

// `term` with an instance of what `donor` has at `inner` in place of `node`: other variables, the same ops.
ir::Term WithInstanceFor(ir::Term term, ir::NodeIndex node, const ir::Term& donor, ir::NodeIndex inner) {
  const size_t before = term.nodes.size();
  std::map<ir::NodeIndex, ir::NodeIndex> moved;
  CopyBelow(donor, inner, &moved, &term);
  for (ir::NodeIndex i = before; i < term.nodes.size(); ++i) {
    if (term.nodes[i].kind == ir::NodeKind::kVariable) absl::StrAppend(&term.nodes[i].name, "_other");
  }
  for (ir::NodeIndex i = 0; i < before; ++i) {
    for (ir::Source& source : term.nodes[i].sources) {
      if (source.node == node) source.node = moved.at(inner);
    }
  }
  return term;
}

// Where a rule applies to its own result or another's, `donor`: a variable of the search side is a constant, or what an
// op below the other's root gives, or an op below its root is the other's. `d a + e b + c` as `d a + (e b + c)` does
// not terminate where `c` is a product, `(c a + c) b` as `c (a b + b)` where `b` is a constant, as `c` is.
std::vector<ir::Term> Overlaps(const ir::Term& search, const ir::Term& donor) {
  std::vector<ir::Term> overlaps;
  for (ir::NodeIndex n = 0; n < search.nodes.size(); ++n) {
    const ir::Node& node = search.nodes[n];
    const bool variable = node.kind == ir::NodeKind::kVariable;
    if (n == search.root || (variable ? node.constant_only : node.kind != ir::NodeKind::kOp)) continue;
    if (variable && &search == &donor) {
      overlaps.push_back(search);
      overlaps.back().nodes[n].constant_only = true;
    }
    for (ir::NodeIndex i = 0; i < donor.nodes.size(); ++i) {
      const ir::Node& inner = donor.nodes[i];
      if (inner.kind != ir::NodeKind::kOp || (variable ? i == donor.root : i != donor.root || inner.op != node.op)) {
        continue;
      }
      if (inner.bits != node.bits || inner.components != node.components) continue;
      overlaps.push_back(WithInstanceFor(search, n, donor, i));
    }
  }
  return overlaps;
}

// Ops of a side, written once where it is shared.
size_t CountOps(const ir::Term& term) {
  return static_cast<size_t>(std::count_if(term.nodes.begin(), term.nodes.end(),
                                           [](const ir::Node& node) { return node.kind == ir::NodeKind::kOp; }));
}

// True unless the term shows that the predicate is false.
bool MayHold(const ir::PredicateQuery& query) {
  const ir::Node& node = query.term->nodes[query.value.node];
  const bool constant = node.kind == ir::NodeKind::kConstant;
  const bool fmul = node.kind == ir::NodeKind::kOp && node.op->name == "fmul";
  if (query.predicate == "is_not_const" || query.predicate == "is_not_const_and_not_fsign") return !constant;
  if (query.predicate == "is_fmul") return fmul;
  if (query.predicate == "is_not_fmul") return !fmul;
  const ir::PredicateInfo* info = ir::FindPredicate(query.predicate);
  return info == nullptr || info->kind != ir::PredicateKind::kConstant || constant;
}

// Component i of a user of `use`, through `replacement`.
ir::Source Through(const ir::Source& use, const ir::Source& replacement) {
  ir::Source result = replacement;
  for (size_t i = 0; i < result.swizzle.size(); ++i) result.swizzle[i] = replacement.swizzle[use.swizzle[i]];
  return result;
}

class Explorer {
 public:
  Explorer(const std::vector<ir::CompiledRule>& rules, size_t pack_size, size_t max_states)
      : rules_(rules), pack_size_(pack_size), max_states_(max_states) {
    options_.facts = &MayHold;
  }

  // Explores from `start` with all rules, or those in `alone`; whether something was found.
  bool Explore(const ir::Term& start, const std::vector<size_t>& alone, TerminationFinding* finding) {
    in_use_ = alone;
    for (size_t rule = 0; alone.empty() && rule < rules_.size(); ++rule) in_use_.push_back(rule);
    colors_.clear();
    path_.clear();
    path_rules_.clear();
    longest_.clear();
    found_ = false;
    Visit(Sorted(start));
    if (!found_ && colors_.size() > max_states_) {
      found_ = true;
      finding_ = {{}, longest_};
    }
    if (found_) *finding = finding_;
    return found_;
  }

 private:
  enum class Color { kOnPath, kDone };

  void Visit(const ir::Term& given) {
    if (found_ || colors_.size() > max_states_) return;
    const ir::Term term = ir::CanonicalTerm(given);
    const std::string text = ir::PrintTerm(term);
    const auto [place, is_new] = colors_.try_emplace(text, Color::kOnPath);
    if (!is_new) {
      if (place->second == Color::kOnPath) ReportCycle(text);
      return;
    }
    path_.push_back(text);
    if (path_rules_.size() > longest_.size()) longest_ = path_rules_;
    for (const size_t rule : in_use_) {
      for (ir::NodeIndex root = 0; root < term.nodes.size(); ++root) Apply(rule, term, root);
    }
    path_.pop_back();
    colors_[text] = Color::kDone;
  }

  void Apply(size_t rule, const ir::Term& term, ir::NodeIndex root) {
    // The order of operands is the driver's.
    for (const ir::Match& match : ir::MatchesAt(rules_[rule], term, root, options_)) Apply(rule, term, root, match);
  }

  void Apply(size_t rule, const ir::Term& term, ir::NodeIndex root, const ir::Match& match) {
    ir::Term rewritten = term;
    const std::optional<ir::Source> value = ir::ApplyReplacement(rules_[rule], match, &rewritten);
    if (!value.has_value()) return;
    for (ir::NodeIndex i = 0; i < term.nodes.size(); ++i) {
      for (ir::Source& source : rewritten.nodes[i].sources) {
        if (source.node == root && i != root) source = Through(source, *value);
      }
    }
    if (rewritten.root == root) {
      if (value->swizzle != ir::kIdentitySwizzle) return;  // a copy of some components: no further op to rewrite
      rewritten.root = value->node;
    }
    path_rules_.push_back(rule);
    Visit(ir::FoldConstants(Sorted(rewritten)));  // as every driver does between two rules
    path_rules_.pop_back();
  }

  void ReportCycle(const std::string& text) {
    const size_t from = std::find(path_.begin(), path_.end(), text) - path_.begin();
    TerminationFinding cycle;
    cycle.terms.assign(path_.begin() + from, path_.end());
    cycle.terms.push_back(text);
    cycle.rules.assign(path_rules_.begin() + from, path_rules_.end());
    const bool ours =
        std::any_of(cycle.rules.begin(), cycle.rules.end(), [&](size_t rule) { return rule < pack_size_; });
    if (!ours) return;  // the tree's own business
    found_ = true;
    finding_ = std::move(cycle);
  }

  const std::vector<ir::CompiledRule>& rules_;
  const size_t pack_size_, max_states_;
  std::vector<size_t> in_use_;
  ir::MatchOptions options_;
  std::map<std::string, Color> colors_;
  std::vector<std::string> path_;
  std::vector<size_t> path_rules_, longest_;
  bool found_ = false;
  TerminationFinding finding_;
};

// A rule that turns its terms without making them smaller, at one assignment of sizes.
struct Turner {
  size_t rule = 0;
  ir::Term search;
};

// Two of them may turn each other's terms for ever. A rule that adds ops and one that takes them away may do so, too:
// such are found only on both sides of each rule, where all rules are tried.
void FindPairs(const std::vector<Turner>& turners, Explorer* explorer, std::vector<TerminationFinding>* findings) {
  for (const Turner& one : turners) {
    for (const Turner& other : turners) {
      if (one.rule == other.rule) continue;
      for (ir::Term& overlap : Overlaps(one.search, other.search)) {
        TerminationFinding finding;
        if (!explorer->Explore(WithSamples(std::move(overlap)), {one.rule, other.rule}, &finding)) continue;
        findings->push_back(std::move(finding));
        return;
      }
    }
  }
}

// Two rules alone give few terms; a pair that gives more does not turn them round, but makes them grow.
constexpr size_t kStatesOfPair = 200;

// A rule of several lists, with what it may undo and be undone by.
struct Listed {
  size_t list = 0, rule = 0;
  std::vector<ir::Term> starts;  // its search side, at sizes
};

// Whether `rule` may match because of what `other` gives: an op of its search is one of the replacement, or nothing new
// is given, which may bring together what was there.
bool MayFollow(const ir::CompiledRule& rule, const ir::CompiledRule& other) {
  const ir::Term &search = rule.rule().search, &replace = other.rule().replace;
  if (replace.root_node().kind != ir::NodeKind::kOp) return true;
  const auto gives = [&](const ir::OpRow* op) {
    return std::any_of(replace.nodes.begin(), replace.nodes.end(),
                       [&](const ir::Node& node) { return node.kind == ir::NodeKind::kOp && node.op == op; });
  };
  return std::any_of(rule.root_ops().begin(), rule.root_ops().end(), gives) ||
         std::any_of(search.nodes.begin(), search.nodes.end(),
                     [&](const ir::Node& node) { return node.kind == ir::NodeKind::kOp && gives(node.op); });
}

std::vector<ir::Term> StartsOf(const ir::Rule& rule) {
  std::vector<ir::Term> starts;
  const auto assignments = ir::EnumerateSizes(rule);
  if (!assignments.ok()) return starts;
  for (size_t i = 0; i < std::min(kSizesTried, assignments->size()); ++i) {
    const auto at_sizes = ir::Instantiate(rule, (*assignments)[i]);
    if (at_sizes.ok()) starts.push_back(WithSamples(at_sizes->search));
  }
  return starts;
}

}  // namespace

std::vector<UndoingPair> FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own) {
  std::vector<ir::CompiledRule> rules;
  std::vector<Listed> listed;
  for (size_t list = 0; list < lists.size(); ++list) {
    for (size_t rule = 0; rule < lists[list].size(); ++rule) {
      rules.push_back(lists[list][rule]);
      // What starts with a rule of a tree starts with the pack's rule, too: the cycle is the same.
      listed.push_back({list, rule, list < own ? StartsOf(lists[list][rule].rule()) : std::vector<ir::Term>()});
    }
  }
  Explorer explorer(rules, rules.size(), kStatesOfPair);
  std::vector<UndoingPair> pairs;
  for (size_t one = 0; one < rules.size() && listed[one].list < own; ++one) {
    for (size_t other = one + 1; other < rules.size(); ++other) {
      if (listed[other].list == listed[one].list) continue;
      if (!MayFollow(rules[other], rules[one]) || !MayFollow(rules[one], rules[other])) continue;
      TerminationFinding finding;
      const bool found = std::any_of(listed[one].starts.begin(), listed[one].starts.end(), [&](const ir::Term& start) {
        if (!explorer.Explore(start, {one, other}, &finding)) return false;
        const auto takes_part = [&](size_t rule) {
          return std::find(finding.rules.begin(), finding.rules.end(), rule) != finding.rules.end();
        };
        return !finding.terms.empty() && takes_part(one) && takes_part(other);
      });
      if (!found) continue;
      pairs.push_back({listed[one].list, listed[one].rule, listed[other].list, listed[other].rule, finding.terms});
    }
  }
  return pairs;
}

std::string TerminationFinding::Text() const {
  if (terms.empty()) {
    std::string text = "more terms than the bound; rules";
    for (const size_t rule : rules) absl::StrAppend(&text, " ", rule);
    return text;
  }
  std::string text = terms[0];
  for (size_t i = 0; i < rules.size(); ++i) absl::StrAppend(&text, " -> (rule ", rules[i], ") ", terms[i + 1]);
  return text;
}

absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states) {
  std::vector<ir::CompiledRule> rules;
  for (const std::vector<ir::Rule>* list : {&pack, &tree}) {
    for (const ir::Rule& rule : *list) {
      absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(rule);
      if (!compiled.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(ir::PrintRule(rule), ": ", compiled.status().message()));
      }
      rules.push_back(*std::move(compiled));
    }
  }
  std::vector<TerminationFinding> findings;
  std::vector<Turner> turners;
  Explorer explorer(rules, pack.size(), max_states);
  for (size_t index = 0; index < pack.size(); ++index) {
    const ir::Rule& rule = pack[index];
    const auto assignments = ir::EnumerateSizes(rule);
    if (!assignments.ok()) return assignments.status();
    bool found = false;
    for (size_t i = 0; i < std::min(kSizesTried, assignments->size()) && !found; ++i) {
      const auto at_sizes = ir::Instantiate(rule, (*assignments)[i]);
      if (!at_sizes.ok()) return at_sizes.status();
      TerminationFinding finding;
      for (const ir::Term* side : {&at_sizes->search, &at_sizes->replace}) {
        found = found || explorer.Explore(WithSamples(*side), {}, &finding);
      }
      // With all rules there would be too many terms.
      for (ir::Term& overlap : Overlaps(at_sizes->search, at_sizes->search)) {
        found = found || explorer.Explore(WithSamples(std::move(overlap)), {index}, &finding);
      }
      if (found) findings.push_back(std::move(finding));
      if (CountOps(at_sizes->search) == CountOps(at_sizes->replace)) turners.push_back({index, at_sizes->search});
    }
  }
  if (findings.empty()) FindPairs(turners, &explorer, &findings);
  return findings;
}

}  // namespace rewrought::rules
