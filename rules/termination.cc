#include "rules/termination.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/match/match.h"
#include "ir/match/relation.h"
#include "ir/text/rule_text.h"
#include "ir/text/sizes.h"
#include "rules/term_steps.h"

namespace rewrought::rules {
namespace {

// Replaces `node` of `term` with an instance of the subterm of `donor` at `inner`. The instance has the same ops but
// different variables.
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

// Returns variants of `search` to which a rule may apply again after it, or after the rule whose search side is
// `donor`, has been applied. In each variant, a variable of `search` is a constant or an op below the root of `donor`,
// or an op below the root of `search` is the root of `donor`. For example, the rule from `d a + e b + c` to `d a + (e b
// + c)` does not terminate if `c` is a product, and the rule from `(c a + c) b` to `c (a b + b)` does not terminate if
// `b`, like `c`, is a constant.
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

// Returns the number of ops of a side. A shared op counts once.
size_t CountOps(const ir::Term& term) {
  return static_cast<size_t>(std::count_if(term.nodes.begin(), term.nodes.end(),
                                           [](const ir::Node& node) { return node.kind == ir::NodeKind::kOp; }));
}

// A rule whose two sides have the same number of ops, at one size assignment.
struct Rearranger {
  size_t rule = 0;
  ir::Term search;
};

// Returns `rule` without its conditions on constants (ir/match/relation.h). If the result terminates, so does `rule`.
ir::Rule WithoutRelations(const ir::Rule& rule) {
  return {ir::Matched(rule.search), rule.replace, rule.condition, rule.line};
}

// Finds the first pair of `turners` that does not terminate. A rule that adds ops and a rule that removes ops may also
// form such a pair, but it is found only when the sides of each rule are rewritten with all rules.
void FindPairs(const std::vector<Rearranger>& turners, TermExplorer* explorer,
               std::vector<TerminationFinding>* findings) {
  for (const Rearranger& one : turners) {
    for (const Rearranger& other : turners) {
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

}  // namespace

absl::StatusOr<std::vector<TerminationFinding>> CheckTermination(const std::vector<ir::Rule>& pack,
                                                                 const std::vector<ir::Rule>& tree, size_t max_states) {
  std::vector<ir::CompiledRule> rules;
  for (const std::vector<ir::Rule>* list : {&pack, &tree}) {
    for (const ir::Rule& rule : *list) {
      absl::StatusOr<ir::CompiledRule> compiled = ir::CompiledRule::Compile(WithoutRelations(rule));
      if (!compiled.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(ir::PrintRule(rule), ": ", compiled.status().message()));
      }
      rules.push_back(*std::move(compiled));
    }
  }
  std::vector<TerminationFinding> findings;
  std::vector<Rearranger> turners;
  TermExplorer explorer(rules, pack.size(), max_states);
  for (size_t index = 0; index < pack.size(); ++index) {
    const ir::Rule rule = WithoutRelations(pack[index]);
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
      // Only this rule is used, because all rules would reach too many terms.
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
