// Assumptions that a rule makes about its search side (flags of op nodes and predicates of variables), and functions
// that search for the weakest sufficient ones. The caller chooses the order of the attempts and proves the rule for
// each attempt.
#ifndef REWROUGHT_IR_FACTS_ASSUMPTIONS_H_
#define REWROUGHT_IR_FACTS_ASSUMPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/term.h"

namespace rewrought::ir {

struct Assumption {
  NodeIndex node = 0;     // for a flag, an op; for a predicate, a node of the variable
  uint8_t flag = 0;       // one of kPermissions; 0 for a predicate
  std::string predicate;  // applies to all nodes with the variable's name

  friend bool operator==(const Assumption&, const Assumption&) = default;
};
using AssumptionSet = std::vector<Assumption>;

// Returns the names of the assumptions: "n0:nsz" (op nodes are numbered in prefix order) or "a:is_finite".
std::vector<std::string> NamesOf(const Term& search, const AssumptionSet& assumptions);

// Returns the assumptions of `search`: first the flags, in prefix order of the ops, then the predicates that have a
// meaning, in node order.
AssumptionSet AssumptionsIn(const Term& search);

// Returns the assumptions that could be added: nsz, nnan and ninf for float ops, and predicates for float variables
// that have none.
AssumptionSet PossibleAssumptions(const Term& search);

// Adds the assumptions to `search`. Returns false and leaves `search` partly changed if a variable would have two
// predicates, because Mesa's tuples permit only one.
bool Assume(const AssumptionSet& assumptions, Term* search);
// Removes the assumptions from `search`. Returns whether `search` had any of them.
bool Drop(const AssumptionSet& assumptions, Term* search);

// Returns whether every float that satisfies `strong` also satisfies `weak`. Handles only the predicates that occur in
// results of PossibleAssumptions.
bool ImpliesPredicate(absl::string_view strong, absl::string_view weak);

enum class Answer : uint8_t { kHolds, kFails, kUnknown };

// Returns whether the rule holds with this search side. An error aborts the functions below.
using Holds = std::function<absl::StatusOr<Answer>(const Term& search)>;

// Adds to `search` the first of `sets` under which the rule holds; skips sets that Assume rejects. If a proof attempt
// returns kUnknown, stops and returns kUnknown, because further assumptions rarely make an undecided proof easier.
absl::StatusOr<Answer> FirstSufficientSet(const std::vector<AssumptionSet>& sets, const Holds& holds, Term* search);

// A step that removes the assumptions `off` and adds `on`, which weakens the search side. If the rule does not hold
// after the step, the steps in `otherwise` are tried instead, in order.
struct Weakening {
  AssumptionSet off, on;
  std::vector<Weakening> otherwise;
};

// Applies each step after which the rule still holds. Skips steps that remove nothing.
absl::Status Weaken(const std::vector<Weakening>& steps, const Holds& holds, Term* search);

// Returns steps that remove ninf, nnan and nsz, in this order. Each step removes the flag from all ops or, if the rule
// then no longer holds, from one op after another.
std::vector<Weakening> WithoutFlags(const Term& search);

// Returns the assumptions of `search` that are individually unnecessary: the rule still holds if only one of them is
// removed.
absl::StatusOr<AssumptionSet> UnnecessaryAssumptions(const Term& search, const Holds& holds);

// Returns the smallest sets of PossibleAssumptions under which the rule holds: sets of one or two assumptions, or sets
// of three if there are no smaller ones. No returned set is implied by another one. Stops and returns the sets found so
// far when `spent` returns true or `most_sets` sets are found.
absl::StatusOr<std::vector<AssumptionSet>> SmallestSets(const Term& search, size_t most_sets,
                                                        const std::function<bool()>& spent, const Holds& holds);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_ASSUMPTIONS_H_
