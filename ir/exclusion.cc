#include "ir/exclusion.h"

#include <set>
#include <utility>
#include <vector>

#include "ir/odometer.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

enum class Openness : uint8_t { kPattern, kSomeNan, kAnything };
struct OpenValue {
  Openness openness = Openness::kAnything;
  uint64_t pattern = 0;  // for kPattern
  friend bool operator==(const OpenValue&, const OpenValue&) = default;
};

constexpr OpenValue kSomeNan{Openness::kSomeNan, 0}, kAnything{Openness::kAnything, 0};
OpenValue PatternOf(uint64_t pattern) { return {Openness::kPattern, pattern}; }

// Returns whether the result is the same for every NaN operand. This holds for IEEE 754 operations, whose NaN results
// are canonical, and for the evaluators' interpretation of approximated functions, but not for sign operations or
// conversions to integers.
bool IgnoresPayload(Primitive primitive) {
  switch (primitive) {
    case Primitive::kFadd:
    case Primitive::kFmul:
    case Primitive::kFfma:
    case Primitive::kFdiv:
    case Primitive::kFsqrt:
    case Primitive::kFfloor:
    case Primitive::kFceil:
    case Primitive::kFtrunc:
    case Primitive::kFroundeven:
    case Primitive::kFmin:
    case Primitive::kFmax:
    case Primitive::kFlt:
    case Primitive::kFle:
    case Primitive::kFeq:
    case Primitive::kIsnan:
    case Primitive::kIsinf:
    case Primitive::kIszero:
    case Primitive::kIsdenorm:
    case Primitive::kF2f:
    case Primitive::kApprox:
      return true;
    default:
      return false;
  }
}

// Evaluates a term under the narrow choices that an odometer selects. Wide choices remain unknown.
class OpenEvaluator {
 public:
  OpenEvaluator(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs, Odometer* odometer)
      : dag_(dag), term_(term), inputs_(inputs), odometer_(odometer), values_(dag.size()), epochs_(dag.size(), 0) {}

  void Start() { ++epoch_; }

  OpenValue Evaluate(ValueIndex index) {
    if (epochs_[index] == epoch_) return values_[index];
    const OpenValue value = Compute(dag_.at(index));
    epochs_[index] = epoch_;
    values_[index] = value;
    return value;
  }

 private:
  OpenValue Compute(const Value& value) {
    switch (value.primitive) {
      case Primitive::kInput:
        return PatternOf(inputs_[value.immediate]);
      case Primitive::kLiteral:
        return PatternOf(value.immediate);
      case Primitive::kChoice:
        return ComputeChoice(static_cast<uint32_t>(value.immediate));
      case Primitive::kIte:
        return ComputeIte(value);
      default:
        return ComputeOther(value);
    }
  }

  OpenValue ComputeChoice(uint32_t index) {
    return IsWide(ChoiceAt(index)) ? kAnything : PatternOf(odometer_->Next(index, 2));
  }

  const Choice& ChoiceAt(uint64_t index) const { return term_.choices[index - term_.first_choice]; }

  OpenValue ComputeIte(const Value& value) {
    // By the contract's rule 4, (ite (isnan choice) choice canonical) is any NaN. If the choice is of another kind, the
    // ite may select its last operand.
    const Value& test = dag_.at(value.operands[0]);
    const Value& taken_if_nan = dag_.at(value.operands[1]);
    if (test.primitive == Primitive::kIsnan && test.operands[0] == value.operands[1] &&
        taken_if_nan.primitive == Primitive::kChoice && ChoiceAt(taken_if_nan.immediate).kind == ChoiceKind::kNan) {
      return kSomeNan;
    }
    const OpenValue taken = Evaluate(value.operands[0]);
    if (taken.openness == Openness::kPattern) return Evaluate(value.operands[taken.pattern ? 1 : 2]);
    const OpenValue x = Evaluate(value.operands[1]), y = Evaluate(value.operands[2]);
    return x == y ? x : kAnything;
  }

  OpenValue ComputeOther(const Value& value) {
    const int arity = Dag::Arity(value);
    uint64_t operands[3] = {}, others[3] = {};
    bool some_nan = false, anything = false;
    for (int i = 0; i < arity; ++i) {
      const OpenValue operand = Evaluate(value.operands[i]);
      if (value.width == 1 && operand.openness == Openness::kPattern &&
          ((value.primitive == Primitive::kAnd && !operand.pattern) ||
           (value.primitive == Primitive::kOr && operand.pattern))) {
        return operand;
      }
      operands[i] = others[i] = operand.pattern;
      anything = anything || operand.openness == Openness::kAnything;
      if (operand.openness != Openness::kSomeNan) continue;
      some_nan = true;
      operands[i] = FormatOf(dag_.at(value.operands[i]).width).quiet_nan();
      others[i] = MaskOf(dag_.at(value.operands[i]).width);
    }
    if (anything) return kAnything;
    // A NaN pattern never equals the pattern of a number.
    if (value.primitive == Primitive::kEq && some_nan) {
      const int width = dag_.at(value.operands[0]).width;
      const bool differs = !IsNan(operands[0], width) || !IsNan(operands[1], width);
      return differs ? PatternOf(0) : kAnything;
    }
    const auto evaluate = [&](const uint64_t* x) {
      return EvaluatePrimitive(value.primitive, value.width, dag_.OperandWidth(value), value.immediate, x[0], x[1],
                               x[2]);
    };
    const uint64_t result = evaluate(operands);
    if (!some_nan) return PatternOf(result);
    if (value.primitive == Primitive::kFneg || value.primitive == Primitive::kFabs) return kSomeNan;
    // The second sample guards against a primitive that IgnoresPayload lists by mistake.
    return IgnoresPayload(value.primitive) && evaluate(others) == result ? PatternOf(result) : kAnything;
  }

  const Dag& dag_;
  const ChoiceTerm& term_;
  const absl::Span<const uint64_t> inputs_;
  Odometer* const odometer_;
  std::vector<OpenValue> values_;
  std::vector<uint32_t> epochs_;
  uint32_t epoch_ = 0;
};

bool CanBe(const OpenValue& value, uint64_t target, int width) {
  switch (value.openness) {
    case Openness::kPattern:
      return value.pattern == target;
    case Openness::kSomeNan:
      return IsNan(target, width);
    case Openness::kAnything:
      return true;
  }
  return true;
}

}  // namespace

bool IsWide(const Choice& choice) { return choice.kind == ChoiceKind::kNan || choice.kind == ChoiceKind::kAnyValue; }

bool IsExcluded(const Dag& dag, const ChoiceTerm& term, absl::Span<const uint64_t> inputs,
                absl::Span<const uint64_t> target) {
  Odometer odometer;
  OpenEvaluator evaluator(dag, term, inputs, &odometer);
  for (int run = 0; run < kMaxRuns; ++run) {
    odometer.Rewind();
    evaluator.Start();
    bool excluded = false;
    for (size_t c = 0; c < target.size() && !excluded; ++c) {
      const ValueIndex root = term.lowered.root[c];
      excluded = !CanBe(evaluator.Evaluate(root), target[c], dag.at(root).width);
    }
    if (!excluded) return false;
    if (!odometer.Turn()) return true;
  }
  return false;
}

std::optional<std::vector<AllowedResult>> OpenResults(const Dag& dag, const ChoiceTerm& term,
                                                      absl::Span<const uint64_t> inputs, size_t limit) {
  Odometer odometer;
  OpenEvaluator evaluator(dag, term, inputs, &odometer);
  std::set<AllowedResult> results;
  for (int run = 0; run < kMaxRuns && results.size() <= limit; ++run) {
    odometer.Rewind();
    evaluator.Start();
    AllowedResult result;
    for (const ValueIndex root : term.lowered.root) {
      const OpenValue value = evaluator.Evaluate(root);
      if (value.openness == Openness::kAnything) return std::nullopt;
      const bool is_nan = value.openness == Openness::kSomeNan;
      result.push_back({is_nan ? AllowedKind::kAnyNan : AllowedKind::kValue, value.pattern});
    }
    results.insert(std::move(result));
    if (!odometer.Turn() && results.size() <= limit) return std::vector<AllowedResult>(results.begin(), results.end());
  }
  return std::nullopt;
}

}  // namespace rewrought::ir
