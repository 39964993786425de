#include "emitter/c/condition_steps.h"

#include <gtest/gtest.h>

#include <random>

#include "emitter/c/runtime/legal.h"
#include "ir/facts/predicate_meaning.h"
#include "ir/scalar.h"
#include "ir/text/predicates.h"

namespace rewrought::emitter {
namespace {

// Returns whether a constant satisfies the predicate.
bool Holds(absl::string_view predicate, uint64_t bits, int width, ir::BaseType base) {
  ir::Dag dag;
  const auto truth = ir::AssumePredicate(&dag, predicate, dag.Literal(bits, width), base);
  return truth.ok() && dag.at(*truth).primitive == ir::Primitive::kLiteral && dag.at(*truth).immediate == 1;
}

std::vector<uint64_t> Values(int width) {
  std::vector<uint64_t> values;
  for (uint64_t n = 0; n < 70; ++n) values.push_back(n), values.push_back(0 - n);
  for (int bit = 0; bit < width; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    values.insert(values.end(), {power, power - 1, power + 1, 0 - power, ~power});
  }
  if (ir::IsFloatWidth(width)) {
    for (const double number : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 1e4, 1e-7, 65504.0, 1e300, HUGE_VAL}) {
      for (const double sign : {1.0, -1.0}) values.push_back(ir::FloatToBits(sign * number, width));
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) values.push_back(random());
  for (uint64_t& value : values) value &= ir::MaskOf(width);
  return values;
}

TEST(ConditionSteps, SayOfConstantsWhatThePredicateMeans) {
  const auto machine = machine::FindMachine("intel_gen9");
  TableBuilder builder(**machine);
  int compared = 0;
  for (const ir::PredicateInfo& predicate : ir::AllPredicates()) {
    if (predicate.kind != ir::PredicateKind::kConstant && predicate.kind != ir::PredicateKind::kRange) continue;
    for (const int width : {8, 16, 32, 64}) {
      for (const ir::BaseType base : {ir::BaseType::kUint, ir::BaseType::kInt, ir::BaseType::kFloat}) {
        if (base == ir::BaseType::kFloat && !ir::IsFloatWidth(width)) continue;
        const auto condition = ConditionOf(std::string(predicate.name), width, base, &builder);
        ASSERT_TRUE(condition.ok()) << predicate.name << " " << width << ": " << condition.status();
        std::vector<const char*> names, conditions;
        CTables& tables = builder.tables();
        tables.features.resize(2);
        const rw_tables view = ViewOf(tables, &names, &conditions);
        uint64_t scratch[RW_VALUES] = {};
        for (const uint64_t value : Values(width)) {
          const bool holds = condition->step_count > 0 &&
                             rw_evaluate(&view, condition->first_step, condition->step_count, value, scratch) == 1;
          EXPECT_EQ(holds, Holds(predicate.name, value, width, base))
              << predicate.name << " of " << value << " in " << width;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 100000);
}

TEST(ConditionSteps, MaySpeakOfTwoConstants) {
  const auto machine = machine::FindMachine("intel_gen9");
  TableBuilder builder(**machine);
  CTables& tables = builder.tables();
  tables.features.resize(2);
  // a + (variable 0) = 32.
  ir::Dag dag;
  const ir::ValueIndex sum = dag.Make(ir::Primitive::kAdd, 32, {dag.InputNamed("a", 32), dag.InputNamed("0", 32)});
  const auto steps = StepsOf(dag, dag.Equal(sum, dag.Literal(32, 32)), &builder);
  ASSERT_TRUE(steps.ok()) << steps.status();
  tables.steps = *steps;
  std::vector<const char*> names, conditions;
  const rw_tables view = ViewOf(tables, &names, &conditions);
  const auto count = static_cast<uint32_t>(steps->size());
  uint64_t values[RW_VALUES] = {5};
  EXPECT_EQ(rw_evaluate(&view, 0, count, 27, values), 1u);
  EXPECT_EQ(rw_evaluate(&view, 0, count, 28, values), 0u);
  values[0] = 4;
  EXPECT_EQ(rw_evaluate(&view, 0, count, 28, values), 1u);
}

TEST(ConditionSteps, WhatHasNoStepIsAnError) {
  const auto machine = machine::FindMachine("intel_gen9");
  TableBuilder builder(**machine);
  ir::Dag dag;
  const ir::ValueIndex a = dag.InputNamed("a", 32);
  const auto product = StepsOf(dag, dag.Make(ir::Primitive::kFmul, 32, {a, a}), &builder);
  EXPECT_EQ(product.status().code(), absl::StatusCode::kUnimplemented);
  ir::ValueIndex deep = a;
  for (int i = 0; i < 140; ++i) deep = dag.Make(ir::Primitive::kSub, 32, {a, deep});
  EXPECT_EQ(StepsOf(dag, deep, &builder).status().message(), "is too long for the tables");
}

}  // namespace
}  // namespace rewrought::emitter
