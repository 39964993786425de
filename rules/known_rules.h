// What the rules proved so far already give a fragment: only a cheaper program is of interest.
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

// Mesa's predicates by which rules about sums and products are kept from going round.
inline constexpr char kIsNoProduct[] = "is_not_fmul", kIsNoConstant[] = "is_not_const";

// A proved rule, compiled for one machine and baseline.
struct KnownRule {
  ir::CompiledRule rule;                // of a program the search side alone
  std::optional<machine::Cost> saving;  // of a program, without registers
};
using KnownRulePointer = std::shared_ptr<const KnownRule>;

// Null for what does not compile, whose search the baseline does not cover, or that saves nothing within a fragment.
KnownRulePointer MakeKnownRule(const machine::Machine& machine, const machine::Candidate& candidate,
                               machine::BaseKind baseline = machine::BaseKind::kTuned);

class KnownRules {
 public:
  // `machine` must outlive this. `baseline` selects what no rule covers. Thread-safe.
  explicit KnownRules(const machine::Machine& machine, machine::BaseKind baseline = machine::BaseKind::kTuned,
                      std::vector<KnownRulePointer> rules = {})
      : machine_(machine), baseline_(baseline), rules_(std::make_shared<const Rules>(std::move(rules))) {}
  // The rules that `other` has now; what either learns from then on is its own.
  KnownRules(const KnownRules& other)
      : machine_(other.machine_), baseline_(other.baseline_), rules_(other.Snapshot()) {}

  // A proved rule; nothing where MakeKnownRule gives null.
  void Add(const machine::Candidate& candidate);

  // What `fragment`, with the flags and facts of its sites, costs once the rules have been applied: NIR rules until
  // none fits, the baseline's selection of the result, less what machine rules save at disjoint places of it, outermost
  // first. The errors of machine::BaseCost. Facts: of VariablesInOrder(fragment), or none.
  absl::StatusOr<machine::Cost> CostOf(const ir::Term& fragment, const std::vector<ir::ValueFacts>& facts) const;

 private:
  // Never changed: what adds a rule makes a new list.
  using Rules = std::vector<KnownRulePointer>;  // in the order of Add
  std::shared_ptr<const Rules> Snapshot() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rules_;
  }
  static void SubtractMachineRules(const Rules& rules, const ir::Term& term, const ir::MatchOptions& options,
                                   machine::Cost* cost);

  const machine::Machine& machine_;
  const machine::BaseKind baseline_;
  mutable std::mutex mutex_;  // of what follows
  std::shared_ptr<const Rules> rules_;
};

// Facts of a term's constants by their value and of its variables by `facts`, in the order of VariablesInOrder. Nothing
// is known of inner values.
ir::FactCallback FactsOfSite(const ir::Term& term, const std::vector<ir::ValueFacts>& facts);

// The search of a rule, ready for matching without a replacement: literals match only themselves.
absl::StatusOr<ir::CompiledRule> CompileSearch(const ir::Term& search);

}  // namespace rewrought::rules

#endif  // REWROUGHT_RULES_KNOWN_RULES_H_
