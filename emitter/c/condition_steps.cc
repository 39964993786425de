#include "emitter/c/condition_steps.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "emitter/c/plain_steps.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

struct StepRow {
  ir::Primitive primitive;
  uint8_t what;
};

constexpr StepRow kSteps[] = {
    {ir::Primitive::kAnd, RW_AND}, {ir::Primitive::kOr, RW_OR},    {ir::Primitive::kXor, RW_XOR},
    {ir::Primitive::kAdd, RW_ADD}, {ir::Primitive::kSub, RW_SUB},  {ir::Primitive::kMul, RW_MUL},
    {ir::Primitive::kShl, RW_SHL}, {ir::Primitive::kLshr, RW_SHR}, {ir::Primitive::kExtract, RW_SHR},
    {ir::Primitive::kEq, RW_EQ},   {ir::Primitive::kUlt, RW_LESS}, {ir::Primitive::kIte, RW_CHOOSE},
};

class StepWriter {
 public:
  StepWriter(const ir::Dag& dag, TableBuilder* builder) : dag_(dag), builder_(*builder) {}

  // Adds the steps that compute a value, which must be in the form that InPlainSteps returns. Returns the index of the
  // result.
  absl::StatusOr<uint8_t> Add(ir::ValueIndex index) {
    const ir::Value& value = dag_.at(index);
    if (const auto found = done_.find(index); found != done_.end()) return found->second;
    std::vector<uint8_t> from;
    for (int i = 0; i < ir::Dag::Arity(value); ++i) {
      const absl::StatusOr<uint8_t> step = Add(value.operands[static_cast<size_t>(i)]);
      if (!step.ok()) return step;
      from.push_back(*step);
    }
    rw_step step = {};
    step.result = value.width;
    std::copy(from.begin(), from.end(), step.from);
    int variable = 0;
    if (value.primitive == ir::Primitive::kZext) return done_[index] = from[0];
    if (value.primitive == ir::Primitive::kLiteral) {
      step.what = RW_NUMBER, step.argument = builder_.Immediate(value.immediate);
    } else if (value.primitive != ir::Primitive::kInput) {
      step.what = std::find_if(std::begin(kSteps), std::end(kSteps), [&](const StepRow& row) {
                    return row.primitive == value.primitive;
                  })->what;
      if (value.primitive == ir::Primitive::kExtract) step.from[1] = Number(value.immediate);
    } else if (absl::SimpleAtoi(dag_.inputs()[value.immediate].name, &variable)) {
      return done_[index] = static_cast<uint8_t>(variable);
    } else {
      return done_[index] = uint8_t{RW_VARIABLES};
    }
    const uint8_t made = Append(step);
    if (steps_.size() > RW_STEPS) return absl::UnimplementedError("is too long for the tables");
    return done_[index] = made;
  }

  std::vector<rw_step> Take() { return std::move(steps_); }

 private:
  uint8_t Number(uint64_t number) {
    rw_step step = {};
    step.what = RW_NUMBER, step.result = 8, step.argument = builder_.Immediate(number);
    return Append(step);
  }

  // Appends the step and returns the index of its result.
  uint8_t Append(const rw_step& step) {
    steps_.push_back(step);
    return static_cast<uint8_t>(RW_VARIABLES + steps_.size());
  }

  const ir::Dag& dag_;
  TableBuilder& builder_;
  std::map<ir::ValueIndex, uint8_t> done_;
  std::vector<rw_step> steps_;
};

uint8_t BaseOf(ir::BaseType base) {
  switch (base) {
    case ir::BaseType::kBool:
      return RW_BASE_BOOL;
    case ir::BaseType::kInt:
      return RW_BASE_INT;
    case ir::BaseType::kUint:
      return RW_BASE_UINT;
    case ir::BaseType::kFloat:
      return RW_BASE_FLOAT;
  }
  return RW_ANY_BASE;
}

// Returns the predicate that determines whether `predicate` holds for a constant, or nullopt if there is none.
std::optional<std::string> DecidedBy(const ir::PredicateInfo& predicate) {
  switch (predicate.kind) {
    case ir::PredicateKind::kConstant:
    case ir::PredicateKind::kRange:
      return std::string(predicate.name);
    case ir::PredicateKind::kStructural:
      if (predicate.name == "is_not_const_zero") return "is_not_zero";
      return std::nullopt;
    case ir::PredicateKind::kExpression:
    case ir::PredicateKind::kSharing:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<rw_step>> StepsOf(const ir::Dag& dag, ir::ValueIndex root, TableBuilder* builder) {
  ir::Dag plain;
  const absl::StatusOr<ir::ValueIndex> value = InPlainSteps(dag, root, &plain);
  if (!value.ok()) return value.status();
  StepWriter writer(plain, builder);
  const absl::StatusOr<uint8_t> last = writer.Add(*value);
  if (!last.ok()) return last.status();
  std::vector<rw_step> steps = writer.Take();
  if (*last != RW_VARIABLES + steps.size()) return absl::UnimplementedError("is a variable, not a step");
  return steps;
}

absl::StatusOr<rw_condition> ConditionOf(const std::string& predicate, int bits, ir::BaseType base,
                                         TableBuilder* builder) {
  rw_condition condition = {};
  condition.name = builder->Name(predicate);
  condition.base = BaseOf(base);
  condition.otherwise = predicate == "is_used_once"                                       ? RW_USED_ONCE
                        : predicate == "is_not_const" || predicate == "is_not_const_zero" ? RW_TRUE
                                                                                          : RW_ASKED;
  condition.first_step = static_cast<uint16_t>(builder->tables().steps.size());
  const ir::PredicateInfo* info = ir::FindPredicate(predicate);
  const std::optional<std::string> decided = info == nullptr ? std::nullopt : DecidedBy(*info);
  if (!decided.has_value()) return condition;
  // Floats have two zeros, so is_not_const_zero depends on whether the value is read as a float or as an integer.
  const bool as_integer = *decided != predicate && base != ir::BaseType::kFloat;
  ir::Dag dag;
  const absl::StatusOr<ir::ValueIndex> truth =
      ir::AssumePredicate(&dag, *decided, dag.InputNamed("a", bits), as_integer ? ir::BaseType::kInt : base);
  if (!truth.ok()) return condition;  // No value of that size satisfies the predicate, so no constant does.
  absl::StatusOr<std::vector<rw_step>> steps = StepsOf(dag, *truth, builder);
  if (!steps.ok()) {
    return absl::UnimplementedError(absl::StrCat("condition ", predicate, " ", steps.status().message()));
  }
  // The runtime tests a constant only if there are steps, so even a condition that is the constant itself needs a step.
  if (steps->empty())
    steps->push_back({.what = RW_OR, .result = 64, .from = {RW_VARIABLES, RW_VARIABLES}, .argument = 0});
  condition.step_count = static_cast<uint16_t>(steps->size());
  auto& all = builder->tables().steps;
  all.insert(all.end(), steps->begin(), steps->end());
  return condition;
}

}  // namespace rewrought::emitter
