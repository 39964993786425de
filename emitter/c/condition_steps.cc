#include "emitter/c/condition_steps.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

struct StepRow {
  ir::Primitive primitive;
  uint8_t what;
};

constexpr StepRow kSteps[] = {
    {ir::Primitive::kNot, RW_NOT},     {ir::Primitive::kAnd, RW_AND},         {ir::Primitive::kOr, RW_OR},
    {ir::Primitive::kXor, RW_XOR},     {ir::Primitive::kNeg, RW_NEG},         {ir::Primitive::kAdd, RW_ADD},
    {ir::Primitive::kSub, RW_SUB},     {ir::Primitive::kMul, RW_MUL},         {ir::Primitive::kShl, RW_SHL},
    {ir::Primitive::kLshr, RW_LSHR},   {ir::Primitive::kAshr, RW_ASHR},       {ir::Primitive::kEq, RW_EQ},
    {ir::Primitive::kUlt, RW_ULT},     {ir::Primitive::kUle, RW_ULE},         {ir::Primitive::kSlt, RW_SLT},
    {ir::Primitive::kSle, RW_SLE},     {ir::Primitive::kIte, RW_ITE},         {ir::Primitive::kZext, RW_EXTRACT},
    {ir::Primitive::kSext, RW_SEXT},   {ir::Primitive::kExtract, RW_EXTRACT}, {ir::Primitive::kFlt, RW_FLT},
    {ir::Primitive::kFle, RW_FLE},     {ir::Primitive::kFeq, RW_FEQ},         {ir::Primitive::kIsnan, RW_ISNAN},
    {ir::Primitive::kIsinf, RW_ISINF}, {ir::Primitive::kIszero, RW_ISZERO},   {ir::Primitive::kFtrunc, RW_FTRUNC},
};

class StepWriter {
 public:
  StepWriter(const ir::Dag& dag, TableBuilder* builder) : dag_(dag), builder_(*builder) {}

  absl::Status Add(ir::ValueIndex index) {
    const ir::Value& value = dag_.at(index);
    rw_step step = {.what = 0, .width = value.width, .result = value.width, .argument = 0};
    if (++depth_ > RW_STACK || steps_.size() > 0xfff) return absl::UnimplementedError("is too long for the tables");
    if (value.primitive == ir::Primitive::kLiteral) {
      step.what = RW_PUSH_IMMEDIATE, step.argument = builder_.Immediate(value.immediate);
    } else if (value.primitive == ir::Primitive::kInput) {
      int variable = 0;
      const bool is_variable = absl::SimpleAtoi(dag_.inputs()[value.immediate].name, &variable);
      step.what = is_variable ? RW_PUSH_VARIABLE : RW_PUSH_SUBJECT, step.argument = static_cast<uint16_t>(variable);
    } else {
      const auto* row = std::find_if(std::begin(kSteps), std::end(kSteps),
                                     [&](const StepRow& one) { return one.primitive == value.primitive; });
      if (row == std::end(kSteps)) {
        return absl::UnimplementedError(
            absl::StrCat("computes ", ir::InfoOf(value.primitive).name, ", for which format c has no step"));
      }
      for (int i = 0; i < ir::Dag::Arity(value); ++i) {
        if (absl::Status status = Add(value.operands[static_cast<size_t>(i)]); !status.ok()) return status;
      }
      depth_ -= ir::Dag::Arity(value);
      step.what = row->what, step.width = static_cast<uint8_t>(dag_.OperandWidth(value));
      if (value.primitive == ir::Primitive::kExtract) step.argument = static_cast<uint16_t>(value.immediate);
    }
    steps_.push_back(step);
    return absl::OkStatus();
  }

  std::vector<rw_step> Take() { return std::move(steps_); }

 private:
  const ir::Dag& dag_;
  TableBuilder& builder_;
  std::vector<rw_step> steps_;
  int depth_ = 0;
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

// The predicate whose meaning decides for constants; nothing: none does.
std::optional<std::string> DecidedBy(const ir::PredicateInfo& predicate) {
  switch (predicate.kind) {
    case ir::PredicateKind::kConstant:
    case ir::PredicateKind::kRange:
      return std::string(predicate.name);
    case ir::PredicateKind::kStructural:
      if (predicate.name == "is_not_const_zero") return "is_not_zero";
      return std::nullopt;
    case ir::PredicateKind::kExpression:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::vector<rw_step>> StepsOf(const ir::Dag& dag, ir::ValueIndex root, TableBuilder* builder) {
  StepWriter writer(dag, builder);
  if (absl::Status status = writer.Add(root); !status.ok()) return status;
  return writer.Take();
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
  // As what is_not_const_zero is read: floats have two zeros, everything else one.
  const bool as_integer = *decided != predicate && base != ir::BaseType::kFloat;
  ir::Dag dag;
  const absl::StatusOr<ir::ValueIndex> truth =
      ir::AssumePredicate(&dag, *decided, dag.InputNamed("a", bits), as_integer ? ir::BaseType::kInt : base);
  if (!truth.ok()) return condition;  // it fits no value of that size: never granted by a constant
  const absl::StatusOr<std::vector<rw_step>> steps = StepsOf(dag, *truth, builder);
  if (!steps.ok()) {
    return absl::UnimplementedError(absl::StrCat("condition ", predicate, " ", steps.status().message()));
  }
  condition.step_count = static_cast<uint16_t>(steps->size());
  auto& all = builder->tables().steps;
  all.insert(all.end(), steps->begin(), steps->end());
  return condition;
}

}  // namespace rewrought::emitter
