// What a rule assumes of its search side (flags of op nodes, predicates of variables), and the one search for the
// weakest of it that is enough. Whoever searches gives the order of the tries and proves each of them.
#ifndef REWROUGHT_IR_FACTS_ASSUMPTIONS_H_
#define REWROUGHT_IR_FACTS_ASSUMPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/term.h"

namespace rewrought::ir {

// The flags that permit results; the others say where a rule applies.
inline constexpr uint8_t kPermissions = kNoSignedZero | kNoNan | kNoInf;

struct Assumption {
  NodeIndex node = 0;     // an op, or a node of the variable
  uint8_t flag = 0;       // one of kPermissions; 0: a predicate
  std::string predicate;  // of all nodes of the variable's name

  friend bool operator==(const Assumption&, const Assumption&) = default;
};
using AssumptionSet = std::vector<Assumption>;

// Each as "n0:nsz" (ops count in prefix order) or "a:is_finite".
std::vector<std::string> NamesOf(const Term& search, const AssumptionSet& assumptions);

// What `search` assumes: flags in prefix order of the ops, then predicates with a meaning in the order of the nodes.
AssumptionSet AssumptionsIn(const Term& search);

// What it could assume besides: nsz, nnan and ninf of ops on floats, predicates of the floats that have none.
AssumptionSet PossibleAssumptions(const Term& search);

// False, with the term half changed, where a variable would have two predicates: a tuple of Mesa's takes one.
bool Assume(const AssumptionSet& assumptions, Term* search);
// Whether anything was there to drop.
bool Drop(const AssumptionSet& assumptions, Term* search);

enum class Answer : uint8_t { kHolds, kFails, kUnknown };

// Whether the rule holds with this search side. An error ends the search.
using Holds = std::function<absl::StatusOr<Answer>(const Term& search)>;

// Puts the first of `sets` under which the rule holds on `search`; those that Assume refuses are passed over. An
// unknown ends the search (what nobody can decide rarely gets easier with more results to look at) and is the answer.
absl::StatusOr<Answer> FirstThatHolds(const std::vector<AssumptionSet>& sets, const Holds& holds, Term* search);

// A step to a weaker search side, and what to try in order where the rule does not hold after it.
struct Weakening {
  AssumptionSet off, on;
  std::vector<Weakening> otherwise;
};

// Takes each step after which the rule holds. Steps that take nothing off are no steps.
absl::Status Weaken(const std::vector<Weakening>& steps, const Holds& holds, Term* search);

// Steps that take each flag of `search` off all ops, or else off one after the other: ninf, nnan, nsz.
std::vector<Weakening> WithoutFlags(const Term& search);

// Those of AssumptionsIn(search) without which, one at a time, the rule still holds.
absl::StatusOr<AssumptionSet> Needless(const Term& search, const Holds& holds);

// The smallest sets of PossibleAssumptions under which the rule holds, none of them implied by another: of one
// assumption, of two, and of three if there are no smaller ones. `spent` says that what was found has to do.
absl::StatusOr<std::vector<AssumptionSet>> SmallestSets(const Term& search, size_t most_sets,
                                                        const std::function<bool()>& spent, const Holds& holds);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_FACTS_ASSUMPTIONS_H_
