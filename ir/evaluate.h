// Evaluates lowered terms on concrete inputs: one run under given choices, the set of allowed results, and membership
// in that set. Exact by replaying every reachable combination of choices; says so where it could not be.
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

// A term lowered with its nondeterministic choices as inputs: choice i of the Dag is choices[i].
struct ChoiceTerm {
  LoweredTerm lowered;
  std::vector<Choice> choices;  // of this term only; the Dag's choice index is first_choice + position
  uint32_t first_choice = 0;
};

// Lowers `term` into `dag` with fresh choices numbered from `first_choice`.
absl::StatusOr<ChoiceTerm> LowerWithChoices(Dag* dag, const Term& term, DenormMode mode, uint32_t first_choice);

// Evaluates values of one Dag; reused for many inputs. Operands of an ite that is not taken are not looked at, so only
// choices that matter are asked for.
class Evaluator {
 public:
  // Gives the value of a choice of the Dag by its index.
  using ChooseValue = std::function<uint64_t(uint32_t choice)>;

  explicit Evaluator(const Dag* dag) : dag_(dag) {}

  // Starts a new run: `inputs` holds one value per dag->inputs() and is read by Evaluate, so it has to last as long.
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

// What one component of a result may be.
enum class AllowedKind : uint8_t { kValue, kAnyNan, kAnyValue };

struct AllowedComponent {
  AllowedKind kind = AllowedKind::kValue;
  uint64_t value = 0;
  friend bool operator==(const AllowedComponent&, const AllowedComponent&) = default;
  friend auto operator<=>(const AllowedComponent&, const AllowedComponent&) = default;
};
using AllowedResult = std::vector<AllowedComponent>;  // by component of the root

struct AllowedSet {
  std::vector<AllowedResult> results;  // distinct, sorted
  bool complete = true;  // false: more may be allowed (the limit was reached, or an inner wide choice was sampled)
};

// The results that `term` allows on `inputs`, at most `limit` of them.
AllowedSet AllowedResults(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs, size_t limit);

enum class Membership : uint8_t {
  kMember,
  kNotMember,  // no combination of choices gives it
  kNotFound,   // none was found, but there may be one
};

struct MembershipResult {
  Membership membership = Membership::kNotFound;
  std::vector<uint64_t> choices;  // of a member: one value per term.choices
};

// Whether `target` (one value per root component) is a result that `term` allows on `inputs`. `hints` are further
// values tried for inner wide choices (NaN patterns, poison).
MembershipResult IsAllowed(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                           absl::Span<const uint64_t> target, absl::Span<const uint64_t> hints = {});

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_EVALUATE_H_
