#include "pipeline/generalize/assumptions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/facts/assumptions.h"
#include "ir/term_order.h"
#include "pipeline/generalize/rule_edit.h"

namespace rewrought::pipeline {
namespace {

// The predicates to try in place of a stricter one, weakest first.
constexpr std::array<absl::string_view, 7> kWeakerPredicates = {"is_a_number",
                                                                "is_not_zero",
                                                                "is_not_negative",
                                                                "is_not_positive",
                                                                "is_finite",
                                                                "is_a_number_not_negative",
                                                                "is_a_number_not_positive"};

class Assumptions {
 public:
  Assumptions(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps)
      : judge_(judge), rule_(rule), steps_(steps) {}

  void Run() {
    DropInexact();
    DropFlags();
    DropPredicates();
    DropUsedOnce();
  }

 private:
  bool Accept(ir::Rule next, std::string step) {
    if (!judge_->Verify(next).proved) return false;
    *rule_ = std::move(next);
    steps_->push_back(std::move(step));
    return true;
  }

  void DropInexact() {
    ir::Rule strict = *rule_;
    bool inexact = false;
    for (ir::Node& node : strict.search.nodes) {
      inexact = inexact || (node.flags & ir::kInexact);
      node.flags &= ~ir::kInexact;
    }
    if (inexact) Accept(std::move(strict), "the rule holds bit for bit without ~");
  }

  void DropFlags() {
    for (const ir::Assumption& one : ir::AssumptionsIn(rule_->search)) {
      if (one.flag == 0) continue;
      ir::Rule next = *rule_;
      if (!ir::Drop({one}, &next.search)) continue;
      Accept(std::move(next), absl::StrCat(ir::NamesOf(rule_->search, {one})[0], " is not needed"));
    }
  }

  void DropPredicates() {
    for (const ir::Assumption& one : ir::AssumptionsIn(rule_->search)) {
      if (one.flag != 0) continue;
      ir::Rule without = *rule_;
      if (!ir::Drop({one}, &without.search)) continue;
      const std::string name = ir::NamesOf(rule_->search, {one})[0];
      if (Accept(without, absl::StrCat(name, " is not needed"))) continue;
      for (const absl::string_view weaker : kWeakerPredicates) {
        if (weaker == one.predicate || !ir::ImpliesPredicate(one.predicate, weaker)) continue;
        ir::Rule next = without;
        if (!ir::Assume({{one.node, 0, std::string(weaker)}}, &next.search)) continue;
        if (Accept(std::move(next), absl::StrCat(name, " can be replaced by ", weaker))) break;
      }
    }
  }

  void DropUsedOnce() {
    for (const ir::NodeIndex op : ir::OpsInPrefixOrder(rule_->search)) {
      ir::Rule next = *rule_;
      std::vector<std::string>& predicates = next.search.nodes[op].predicates;
      const auto found = std::find(predicates.begin(), predicates.end(), "is_used_once");
      if (found == predicates.end()) continue;
      predicates.erase(found);
      const RuleCost before = CostOf(*rule_), after = CostOf(next);
      const bool repeats = after.removed == before.removed;  // an op above it may have other users
      if (!repeats && after.added > after.removed) continue;
      const std::string& name = rule_->search.at(op).op->name;
      Accept(std::move(next), absl::StrCat("is_used_once on ", name, repeats ? " has no effect" : " is not needed"));
    }
  }

  Judge* const judge_;
  ir::Rule* const rule_;
  std::vector<std::string>* const steps_;
};

}  // namespace

void WeakenAssumptions(Judge* judge, ir::Rule* rule, std::vector<std::string>* steps) {
  Assumptions(judge, rule, steps).Run();
}

}  // namespace rewrought::pipeline
