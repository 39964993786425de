// Evaluates lowered terms on concrete inputs. Computes the result under given choices, the set of allowed results, and
// whether a result is in this set. The last two computations try every reachable combination of choices and report
// whether the answer is complete.
#ifndef REWROUGHT_IR_EVALUATE_H_
#define REWROUGHT_IR_EVALUATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dag.h"
#include "ir/float_contract.h"
#include "ir/term.h"

namespace rewrought::ir {

// A lowered term whose nondeterministic choices are leaves of the Dag.
struct ChoiceTerm {
  LoweredTerm lowered;
  std::vector<Choice> choices;  // choice first_choice + i of the Dag is choices[i]
  uint32_t first_choice = 0;
};

absl::StatusOr<ChoiceTerm> LowerWithChoices(Dag* dag, const Term& term, DenormMode mode, uint32_t first_choice);

// Evaluates the values of a Dag and can be reused for many inputs. It evaluates only the operand that an ite selects,
// so it queries only the choices that affect the result.
class Evaluator {
 public:
  // Returns the value of the Dag's choice with this index.
  using ChooseValue = std::function<uint64_t(uint32_t choice)>;

  explicit Evaluator(const Dag* dag) : dag_(dag) {}

  // Starts a new run. `inputs` contains one value per element of dag->inputs() and must outlive the subsequent calls to
  // Evaluate.
  void Start(absl::Span<const uint64_t> inputs, ChooseValue choose);
  uint64_t Evaluate(ValueIndex value);

 private:
  const Dag* dag_;
  absl::Span<const uint64_t> inputs_;
  ChooseValue choose_;
  std::vector<uint64_t> values_;
  std::vector<uint32_t> epochs_;
  uint32_t epoch_ = 0;
};

enum class AllowedKind : uint8_t { kValue, kAnyNan, kAnyValue };

struct AllowedComponent {
  AllowedKind kind = AllowedKind::kValue;
  uint64_t value = 0;
  friend bool operator==(const AllowedComponent&, const AllowedComponent&) = default;
  friend auto operator<=>(const AllowedComponent&, const AllowedComponent&) = default;
};
using AllowedResult = std::vector<AllowedComponent>;  // indexed by component of the root

struct AllowedSet {
  std::vector<AllowedResult> results;  // distinct, sorted
  bool complete = true;                // false if the limit was reached, or if not all values of a choice were tried
};

// Returns at most `limit` of the results that `term` allows on `inputs`.
AllowedSet AllowedResults(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs, size_t limit);

enum class Membership : uint8_t {
  kMember,
  kNotMember,  // no combination of choices produces the target
  kNotFound,   // no such combination was found, but one may exist
};

struct MembershipResult {
  Membership membership = Membership::kNotFound;
  std::vector<uint64_t> choices;  // for a member: one value per element of term.choices
};

// Returns whether `term` allows the result `target` (one value per root component) on `inputs`. `hints` are additional
// values to try for NaN patterns and poison values inside the term.
MembershipResult IsAllowed(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                           absl::Span<const uint64_t> target, absl::Span<const uint64_t> hints = {});

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_EVALUATE_H_
