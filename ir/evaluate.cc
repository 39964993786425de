#include "ir/evaluate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/dialect/choices.h"
#include "ir/dialect/lowering.h"
#include "ir/exclusion.h"
#include "ir/odometer.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

// Follows the operands that ites select, starting from a root component. If the path ends at a wide choice, the result
// is any NaN or any value, depending on the choice.
class RootResolver {
 public:
  RootResolver(const Dag& dag, const ChoiceTerm& term, Evaluator* evaluator)
      : dag_(dag), term_(term), evaluator_(evaluator) {}

  AllowedComponent Resolve(ValueIndex root) {
    for (;;) {
      const Value& value = dag_.at(root);
      if (value.primitive == Primitive::kChoice && ChoiceAt(root) != nullptr) return {AllowedKind::kAnyValue, 0};
      if (value.primitive != Primitive::kIte) return {AllowedKind::kValue, evaluator_->Evaluate(root)};
      const Value& test = dag_.at(value.operands[0]);
      if (test.primitive == Primitive::kIsnan) {
        const Choice* choice = ChoiceAt(test.operands[0]);
        if (choice != nullptr && choice->kind == ChoiceKind::kNan && value.operands[1] == test.operands[0]) {
          return {AllowedKind::kAnyNan, 0};
        }
      }
      root = evaluator_->Evaluate(value.operands[0]) ? value.operands[1] : value.operands[2];
    }
  }

 private:
  const Choice* ChoiceAt(ValueIndex index) const {
    const Value& value = dag_.at(index);
    if (value.primitive != Primitive::kChoice || value.immediate < term_.first_choice) return nullptr;
    const size_t position = value.immediate - term_.first_choice;
    if (position >= term_.choices.size() || !IsWide(term_.choices[position])) return nullptr;
    return &term_.choices[position];
  }

  const Dag& dag_;
  const ChoiceTerm& term_;
  Evaluator* evaluator_;
};

}  // namespace

absl::StatusOr<ChoiceTerm> LowerWithChoices(Dag* dag, const Term& term, DenormMode mode, uint32_t first_choice) {
  return LowerWithChoicesIn(Dialect::kNir25, dag, term, mode, first_choice);
}

absl::StatusOr<ChoiceTerm> LowerWithChoicesIn(Dialect dialect, Dag* dag, const Term& term, DenormMode mode,
                                              uint32_t first_choice) {
  ChoiceTerm result;
  result.first_choice = first_choice;
  const ChoiceSource choose = [&](const Choice& choice) {
    result.choices.push_back(choice);
    return dag->Choice(first_choice + static_cast<uint32_t>(result.choices.size()) - 1, choice.width);
  };
  absl::StatusOr<LoweredTerm> lowered = LowerTermIn(dialect, dag, term, mode, choose);
  if (!lowered.ok()) return lowered.status();
  result.lowered = *std::move(lowered);
  return result;
}

void Evaluator::Start(absl::Span<const uint64_t> inputs, ChooseValue choose) {
  inputs_ = inputs;
  choose_ = std::move(choose);
  values_.resize(dag_->size());
  epochs_.resize(dag_->size(), 0);
  ++epoch_;
}

uint64_t Evaluator::Evaluate(ValueIndex index) {
  if (epochs_[index] == epoch_) return values_[index];
  const Value& value = dag_->at(index);
  uint64_t result;
  switch (value.primitive) {
    case Primitive::kInput:
      result = inputs_[value.immediate];
      break;
    case Primitive::kChoice:
      result = choose_(static_cast<uint32_t>(value.immediate)) & MaskOf(value.width);
      break;
    case Primitive::kLiteral:
      result = value.immediate;
      break;
    case Primitive::kIte:
      result = Evaluate(value.operands[0]) ? Evaluate(value.operands[1]) : Evaluate(value.operands[2]);
      break;
    default: {
      const int arity = Dag::Arity(value);
      const uint64_t x = arity > 0 ? Evaluate(value.operands[0]) : 0;
      // A false conjunct or a true disjunct decides the result, so do not query the choices of the other operand.
      if (value.width == 1 &&
          ((value.primitive == Primitive::kAnd && !x) || (value.primitive == Primitive::kOr && x))) {
        result = x;
        break;
      }
      const uint64_t y = arity > 1 ? Evaluate(value.operands[1]) : 0;
      const uint64_t z = arity > 2 ? Evaluate(value.operands[2]) : 0;
      result = EvaluatePrimitive(value.primitive, value.width, dag_->OperandWidth(value), value.immediate, x, y, z);
    }
  }
  epochs_[index] = epoch_;
  values_[index] = result;
  return result;
}

AllowedSet AllowedResults(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs, size_t limit) {
  AllowedSet set;
  Evaluator evaluator(&dag);
  RootResolver resolver(dag, term, &evaluator);
  Odometer odometer;
  for (int run = 0;; ++run) {
    odometer.Rewind();
    evaluator.Start(inputs, [&](uint32_t index) -> uint64_t {
      const Choice& choice = term.choices[index - term.first_choice];
      if (!IsWide(choice)) return odometer.Next(index, 2);
      set.complete = false;
      const size_t sample = odometer.Next(index, 2);
      if (choice.kind == ChoiceKind::kNan) return sample == 0 ? 0 : MaskOf(choice.width);
      return sample == 0 ? 0 : uint64_t{0x5555555555555555};
    });
    AllowedResult result;
    for (ValueIndex root : term.lowered.root) result.push_back(resolver.Resolve(root));
    const auto position = std::lower_bound(set.results.begin(), set.results.end(), result);
    if (position == set.results.end() || *position != result) set.results.insert(position, std::move(result));
    if (!odometer.Turn()) break;
    if (set.results.size() >= limit || run >= kMaxRuns) {
      set.complete = false;
      break;
    }
  }
  if (set.complete) return set;
  if (std::optional<std::vector<AllowedResult>> all = OpenResults(dag, term, inputs, limit); all.has_value()) {
    set = {*std::move(all), true};
  }
  return set;
}

MembershipResult IsAllowed(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                           absl::Span<const uint64_t> target, absl::Span<const uint64_t> hints) {
  MembershipResult answer;
  Evaluator evaluator(&dag);
  RootResolver resolver(dag, term, &evaluator);
  Odometer odometer;
  bool sampled = false;
  std::vector<uint64_t> chosen;
  std::vector<bool> asked;
  // The candidates for a wide choice are the target itself, the hints, and a canonical value.
  std::vector<uint64_t> candidates(target.begin(), target.end());
  candidates.insert(candidates.end(), hints.begin(), hints.end());
  candidates.push_back(0);
  for (int run = 0;; ++run) {
    odometer.Rewind();
    chosen.assign(term.choices.size(), 0);
    asked.assign(term.choices.size(), false);
    evaluator.Start(inputs, [&](uint32_t index) -> uint64_t {
      const size_t position = index - term.first_choice;
      const Choice& choice = term.choices[position];
      uint64_t value;
      if (IsWide(choice)) {
        sampled = true;
        value = candidates[odometer.Next(index, candidates.size())] & MaskOf(choice.width);
      } else {
        value = odometer.Next(index, 2);
      }
      chosen[position] = value;
      asked[position] = true;
      return value;
    });
    bool equal = true;
    if (term.lowered.root.size() == 1) {
      // If the only component is itself a wide choice, decide without sampling whether the target matches.
      const AllowedComponent component = resolver.Resolve(term.lowered.root[0]);
      const int width = dag.at(term.lowered.root[0]).width;
      if (component.kind == AllowedKind::kValue) {
        equal = component.value == target[0];
      } else {
        equal = component.kind == AllowedKind::kAnyValue || (IsFloatWidth(width) && IsNan(target[0], width));
        for (size_t i = 0; equal && i < term.choices.size(); ++i) {
          if (IsWide(term.choices[i]) && term.choices[i].width == width && !asked[i]) chosen[i] = target[0];
        }
      }
    } else {
      for (size_t c = 0; equal && c < target.size(); ++c) equal = evaluator.Evaluate(term.lowered.root[c]) == target[c];
    }
    if (equal) {
      answer.membership = Membership::kMember;
      answer.choices = std::move(chosen);
      return answer;
    }
    if (!odometer.Turn()) break;
    if (run >= kMaxRuns) return answer;
  }
  const bool all_tried = !sampled || IsExcluded(dag, term, inputs, target);
  answer.membership = all_tried ? Membership::kNotMember : Membership::kNotFound;
  return answer;
}

}  // namespace rewrought::ir
