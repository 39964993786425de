#include "rules/undoing.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/text/canonical.h"
#include "ir/text/rule_text.h"
#include "rules/term_explorer.h"
#include "rules/term_steps.h"

namespace rewrought::rules {
namespace {

// The maximum number of terms that a pair may reach. A cycle of two rules contains few terms, so a pair that reaches
// more is assumed to make terms grow and never return to an earlier term.
constexpr size_t kTermsOfPair = 200;

// The rules of all lists, in order.
struct Row {
  std::vector<ir::CompiledRule> rules;
  std::vector<ListedRule> places;
  std::vector<std::vector<ir::Term>> starts;  // the search sides of the rules of the first `own` lists
};

// Returns whether applying `other` may enable a match of `rule`: the result of `other` contains an op of the rule's
// search side, or it is a variable or constant and thus makes existing ops adjacent.
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

void FindPairs(const Row& row, std::vector<UndoingRules>* found) {
  TermExplorer explorer(row.rules, row.rules.size(), kTermsOfPair);
  for (size_t one = 0; one < row.starts.size(); ++one) {
    for (size_t other = one + 1; other < row.rules.size(); ++other) {
      if (row.places[other].list == row.places[one].list) continue;
      if (!MayFollow(row.rules[other], row.rules[one]) || !MayFollow(row.rules[one], row.rules[other])) continue;
      TerminationFinding finding;
      const bool undo = std::any_of(row.starts[one].begin(), row.starts[one].end(), [&](const ir::Term& start) {
        if (!explorer.Explore(start, {one, other}, &finding)) return false;
        const auto takes_part = [&](size_t rule) {
          return std::find(finding.rules.begin(), finding.rules.end(), rule) != finding.rules.end();
        };
        return !finding.terms.empty() && takes_part(one) && takes_part(other);
      });
      if (undo) found->push_back({{row.places[one], row.places[other]}, finding.terms});
    }
  }
}

// A breadth-first search from a term that applies one rule at a time until it returns to that term.
class CycleWalk {
 public:
  explicit CycleWalk(const Row& row) : row_(row) {
    for (size_t rule = 0; rule < row.rules.size(); ++rule) {
      for (const ir::OpRow* op : row.rules[rule].root_ops()) by_op_[op].push_back(rule);
    }
  }

  // Finds the first cycle through `start` that begins with rule `first`, uses three or more rules from at least two
  // lists, and contains none of the sets of rules in `known`.
  bool Find(const ir::Term& start, size_t first, const std::vector<UndoingRules>& known, UndoingRules* cycle) {
    const ir::Term term = ir::CanonicalTerm(Sorted(start));
    states_ = {{term, ir::PrintTerm(term), 0, 0, 0, false}};
    seen_.clear();
    is_cut_ = false;
    for (size_t at = 0; at < states_.size() && states_[at].steps < kStepsOfCycle; ++at) {
      if (Expand(at, first, known, cycle)) return true;
    }
    return false;
  }

  bool is_cut() const { return is_cut_; }

 private:
  struct State {
    ir::Term term;
    std::string text;
    size_t before = 0, rule = 0, steps = 0;  // the previous state, and the rule that led from it to this one
    bool of_several = false;                 // true if rules of several lists led here
  };

  bool Expand(size_t at, size_t first, const std::vector<UndoingRules>& known, UndoingRules* cycle) {
    const ir::Term term = states_[at].term;
    bool found = false;
    for (ir::NodeIndex root = 0; root < term.nodes.size() && !found; ++root) {
      if (term.nodes[root].kind != ir::NodeKind::kOp) continue;
      const auto rules = by_op_.find(term.nodes[root].op);
      for (size_t i = 0; rules != by_op_.end() && i < rules->second.size() && !found; ++i) {
        const size_t rule = rules->second[i];
        if (at == 0 && rule != first) continue;
        ForEachStep(row_.rules[rule], term, root, [&](const ir::Term& next) {
          if (!found) found = Arrive(next, at, rule, first, known, cycle);
        });
      }
    }
    return found;
  }

  // Returns whether the walk has returned to its start by a path that satisfies the conditions of Find. Otherwise, adds
  // `given` to the terms to expand if it is new.
  bool Arrive(const ir::Term& given, size_t from, size_t rule, size_t first, const std::vector<UndoingRules>& known,
              UndoingRules* cycle) {
    ir::Term term = ir::CanonicalTerm(given);
    std::string text = ir::PrintTerm(term);
    const bool of_several = states_[from].of_several || row_.places[rule].list != row_.places[first].list;
    if (text == states_[0].text) return of_several && IsNew(from, rule, known, cycle);
    if (states_.size() > kTermsOfCycle) {
      is_cut_ = true;
    } else if (seen_.emplace(text, of_several).second) {
      states_.push_back({std::move(term), std::move(text), from, rule, states_[from].steps + 1, of_several});
    }
    return false;
  }

  bool IsNew(size_t last, size_t rule, const std::vector<UndoingRules>& known, UndoingRules* cycle) const {
    UndoingRules way{{row_.places[rule]}, {states_[0].text}};
    for (size_t at = last;; at = states_[at].before) {
      way.terms.push_back(states_[at].text);
      if (at == 0) break;
      way.rules.push_back(row_.places[states_[at].rule]);
    }
    std::reverse(way.terms.begin(), way.terms.end());
    std::reverse(way.rules.begin(), way.rules.end());
    const auto holds = [&](const ListedRule& one) {
      return std::find(way.rules.begin(), way.rules.end(), one) != way.rules.end();
    };
    for (auto at = way.rules.begin(); at != way.rules.end();) {
      at = std::find(way.rules.begin(), at, *at) != at ? way.rules.erase(at) : at + 1;
    }
    if (way.rules.size() < 3) return false;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const UndoingRules& one) {
      return std::all_of(one.rules.begin(), one.rules.end(), holds);
    });
    if (!is_known) *cycle = std::move(way);
    return !is_known;
  }

  const Row& row_;
  std::map<const ir::OpRow*, std::vector<size_t>> by_op_;
  std::vector<State> states_;
  std::set<std::pair<std::string, bool>> seen_;
  bool is_cut_ = false;
};

}  // namespace

Undoing FindUndoing(const std::vector<std::vector<ir::CompiledRule>>& lists, size_t own) {
  Row row;
  for (size_t list = 0; list < lists.size(); ++list) {
    for (size_t rule = 0; rule < lists[list].size(); ++rule) {
      row.rules.push_back(lists[list][rule]);
      row.places.push_back({list, rule});
      // The search need not start with the rules of a tree, because every relevant cycle also contains a rule of the
      // first `own` lists.
      if (list < own) row.starts.push_back(SearchTerms(lists[list][rule].rule()));
    }
  }
  Undoing undoing;
  FindPairs(row, &undoing.cycles);
  CycleWalk walk(row);
  for (size_t rule = 0; rule < row.starts.size(); ++rule) {
    bool is_cut = false;
    UndoingRules cycle;
    for (const ir::Term& start : row.starts[rule]) {
      const bool found = walk.Find(start, rule, undoing.cycles, &cycle);
      is_cut = is_cut || walk.is_cut();
      if (!found) continue;
      undoing.cycles.push_back(std::move(cycle));
      break;
    }
    undoing.cut += is_cut ? 1 : 0;
  }
  return undoing;
}

}  // namespace rewrought::rules
