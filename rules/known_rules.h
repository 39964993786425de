// Computes the cost of a fragment after the rules proved so far have been applied. The right side of a new rule must
// cost less.
#ifndef REWROUGHT_RULES_KNOWN_RULES_H_
#define REWROUGHT_RULES_KNOWN_RULES_H_

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/facts/value_facts.h"
#include "ir/match/match.h"
#include "ir/term.h"
#include "machine/base/base_selection.h"
#include "machine/candidate.h"
#include "machine/cost.h"
#include "machine/machine.h"

namespace rewrought::rules {

// Mesa predicates that prevent rules on sums and products from looping.
inline constexpr char kIsNotProduct[] = "is_not_fmul", kIsNotConstant[] = "is_not_const";

// A proved rule, compiled for one machine and baseline.
struct KnownRule {
  ir::CompiledRule rule;                // Only the search side if the replacement is a program.
  std::optional<machine::Cost> saving;  // Set only for a program; does not include registers.
};
using KnownRulePointer = std::shared_ptr<const KnownRule>;

// Compiles a proved rule. Returns null if the rule does not compile, the baseline does not cover its search side, or
// the rule saves nothing within a single fragment.
KnownRulePointer MakeKnownRule(const machine::Machine& machine, const machine::Candidate& candidate,
                               machine::BaseKind baseline = machine::BaseKind::kTuned);

class KnownRules {
 public:
  // Starts with `rules`. `baseline` selects instructions for the nodes that no rule covers. `machine` must outlive this
  // object. This class is thread-safe.
  explicit KnownRules(const machine::Machine& machine, machine::BaseKind baseline = machine::BaseKind::kTuned,
                      std::vector<KnownRulePointer> rules = {})
      : machine_(machine), baseline_(baseline), rules_(std::make_shared<const Rules>(std::move(rules))) {}
  // Copies the current rules. Rules that are added later to either object do not affect the other.
  KnownRules(const KnownRules& other)
      : machine_(other.machine_), baseline_(other.baseline_), rules_(other.Snapshot()) {}

  // Adds a proved rule, unless MakeKnownRule returns null.
  void Add(const machine::Candidate& candidate);

  // Returns the cost of `fragment`, whose ops carry the flags of its sites, after the rules have been applied. Applies
  // NIR rules until none matches, selects the result with the baseline, and subtracts the savings of machine rules at
  // disjoint matches, outermost first. `facts` is empty or in the order of VariablesInOrder(fragment). Returns any
  // error of machine::BaseCost.
  absl::StatusOr<machine::Cost> CostOf(const ir::Term& fragment, const std::vector<ir::ValueFacts>& facts) const;

 private:
  // A list is immutable; adding a rule creates a new list.
  using Rules = std::vector<KnownRulePointer>;  // In the order of the calls to Add.
  std::shared_ptr<const Rules> Snapshot() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rules_;
  }
  static void SubtractMachineRules(const Rules& rules, const ir::Term& term, const ir::MatchOptions& options,
                                   machine::Cost* cost);

  const machine::Machine& machine_;
  const machine::BaseKind baseline_;
  mutable std::mutex mutex_;  // guards rules_
  std::shared_ptr<const Rules> rules_;
};

// Returns a callback that decides predicates on the variables of `term` from `facts`, which is in the order of
// VariablesInOrder, and all other predicates as ir::FactsOfNodes does.
ir::FactCallback FactsOfSite(const ir::Term& term, const std::vector<ir::ValueFacts>& facts);

// Compiles the search side of a rule so that it can be matched without a replacement. Literals match only themselves.
absl::StatusOr<ir::CompiledRule> CompileSearch(const ir::Term& search);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_KNOWN_RULES_H_
