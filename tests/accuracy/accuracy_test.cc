// Checks that no inexact rule is less accurate than the verifier states, by an independent evaluation in quadruple
// precision. all_accuracy_test.sh checks more rules with more inputs.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/accuracy/random_rules.h"
#include "tests/accuracy/rule_accuracy.h"

namespace rewrought::accuracy {
namespace {

CheckOptions Options(size_t restarts, size_t steps) {
  CheckOptions options;
  options.effort = {.restarts = restarts, .steps = steps, .unstated_restarts = 0};
  return options;
}

// Returns the number of rules that could be checked.
size_t ExpectNoFault(const std::vector<std::string>& rules, const CheckOptions& options) {
  size_t checked = 0, stated = 0;
  for (const std::string& rule : rules) {
    const absl::StatusOr<RuleResult> result = CheckAccuracy(rule, options);
    if (!result.ok()) continue;
    ++checked;
    for (const DriverResult& one : result->drivers) {
      stated += one.stated.growth.has_value() || one.stated.ulp_bound.has_value();
      EXPECT_EQ(one.Fault(result->sides), "") << rule;
    }
  }
  std::cout << checked << " of " << rules.size() << " rules checked, " << stated << " statements\n";
  EXPECT_GT(stated, checked);
  return checked;
}

TEST(Accuracy, NoRandomRuleIsWorseThanStated) { EXPECT_GT(ExpectNoFault(RandomRules(24, 2), Options(2, 50)), 23u); }

// Covers the ops of Mesa's inexact rules.
TEST(Accuracy, NoWrittenRuleIsWorseThanStated) {
  const std::vector<std::string> rules = {
      "(('~fsub@32', ('fmul', a, 3.0), a), ('fmul', a, 2.0))",
      "(('~fdiv@32', ('fmul', a, b), c), ('fmul', ('fmul', a, b), ('frcp', c)))",
      "(('~fmul@32', ('frcp', a), ('frcp', b)), ('frcp', ('fmul', a, b)))",
      "(('~fdiv@32', 1.0, ('fsqrt', a)), ('frsq', a))",
      "(('~fmul@32', ('fsqrt', a), ('fsqrt', a)), a)",
      "(('~fexp2@32', ('fadd', ('flog2', a), ('flog2', b))), ('fmul', a, b))",
      "(('~flog2@32', ('fexp2', ('fmul', a, b))), ('fmul', a, b))",
      "(('~fpow@32', a, 2.0), ('fmul', a, a))",
      "(('~fmul@32', ('fpow', a, b), a), ('fpow', a, ('fadd', b, 1.0)))",
      "(('~fadd@32', ('ffloor', a), ('ffract', a)), a)",
      "(('~fneg@32', ('ffloor', ('fneg', a))), ('fceil', a))",
      "(('~bcsel@32', ('flt', a, 0.0), ('fceil', a), ('ffloor', a)), ('ftrunc', a))",
      "(('~fround_even@32', ('fneg', a)), ('fneg', ('fround_even', a)))",
      "(('~fmin@32', ('fmax', a, 0.0), 1.0), ('fsat', a))",
      "(('~fadd@32', ('fmul', a, ('fsub', 1.0, c)), ('fmul', b, c)), ('flrp', a, b, c))",
      "(('~flrp@32', a, b, ('b2f', 'c@1')), ('bcsel', c, b, a))",
      "(('~bcsel@32', ('fge', a, b), ('fadd', a, c), ('fadd', b, c)), ('fadd', ('fmax', a, b), c))",
      "(('~bcsel@32', ('feq', a, 0.0), 0.0, ('fmul', a, b)), ('fmul', b, a))",
      "(('~bcsel@32', ('fneu', a, b), ('fmul', a, c), ('fmul', b, c)), ('fmul', a, c))",
      "(('~bcsel@32', ('iand', ('flt', a, b), ('flt', a, c)), a, ('fmin', b, c)), ('fmin', ('fmin', a, b), c))",
      "(('~ffmaz@32', a, b, 0.0), ('fmulz', a, b))",
      "(('~fadd@32', ('fabs', ('fmul', a, b)), c), ('ffma', ('fabs', a), ('fabs', b), c))",
      "(('~fmul@32', ('f2f32', 'a@16'), ('f2f32', 'b@16')), ('fmul', ('f2f32', b), ('f2f32', a)))",
      "(('~fmul@32', ('fsin', a), ('fcos', a)), ('fmul', ('fcos', a), ('fsin', a)))",
  };
  EXPECT_EQ(ExpectNoFault(rules, Options(2, 50)), rules.size());
}

// Checks that the search detects rules that an earlier version wrongly accepted, and bounds that are too small.
TEST(Accuracy, WrongStatementsAreCaught) {
  constexpr double kNone = 0;
  const struct {
    const char* rule;
    Driver driver;
    double growth, ulp_bound;
  } kPlanted[] = {
      {"(('~fmul@32', ('fadd', ('ffract', a), b), c), ('fadd', ('fmul', ('ffract', a), c), ('fmul', b, c)))",
       Driver::kAsWritten, 4, kNone},
      {"(('~fmul@32', ('flrp', -1.0, 1.0, a), b), ('flrp', ('fneg', b), b, a))", Driver::kAsWritten, 4, kNone},
      {"(('~fmul@32', ('fmul', ('f2f32', 'a@16'), ('f2f32', 'b@16')), ('fadd', c, d)), ('fadd', ('fmul', ('fmul', "
       "('f2f32', a), ('f2f32', b)), c), ('fmul', ('fmul', ('f2f32', a), ('f2f32', b)), d)))",
       Driver::kAsWritten, 4, kNone},
      // a b is exact if b is a power of two.
      {"(('~fmul@32', ('fadd', ('fmul', a, b), c), d), ('fadd', ('fmul', a, ('fmul', b, d)), ('fmul', c, d)))",
       Driver::kAsWritten, 4, kNone},
      // b c / b is exact if c is a power of two.
      {"(('~fadd@32', ('fdiv', ('fmul', 'b(is_not_const)', c), 'b(is_not_const)'), d), ('fadd', ('fmul', ('fdiv', c, "
       "b), b), d))",
       Driver::kAsWritten, 4, kNone},
      // A floor is often 0.
      {"(('~fadd@32', ('ffma', ('fmul', ('ffloor', a), 'b(is_not_const)'), 'c(is_not_const)', d), e), ('fadd', "
       "('ffma', "
       "('fmul', ('ffloor', a), b), c, ('fadd', ('fmul', d, 0.3), ('fmul', d, 0.7))), e))",
       Driver::kAsWritten, 4, kNone},
      // A native flrp instruction rounds its products.
      {"(('~fadd@32', ('fmul', c, ('fadd', 1.0, ('fneg', a))), ('fneg', a)), ('flrp', c, -1.0, a))", Driver::kFuses, 1,
       kNone},
      // With a constant b, Intel's driver does not fuse the product into the sum with b.
      {"(('~fmul@32', ('fadd', -1.0, a), b), ('fadd', ('fmul', a, b), ('fneg', b)))", Driver::kKeepsConstants, 4,
       kNone},
      // The product of two constants is folded.
      {"(('~ffma@32', '#a', '#b', c), ('fadd', ('fmul', a, b), c))", Driver::kFuses, 4, kNone},
      // If a driver fuses the product 2 b, which is exact anyway, the other product is rounded.
      {"(('~ffma@32', a, c, ('fmul', 2.0, b)), ('fadd', ('fmul', a, c), ('fmul', 2.0, b)))", Driver::kFuses, 1, kNone},
      {"(('~fadd@32', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))", Driver::kAsWritten, 1, kNone},
      {"(('~fmul@32', ('fmul', a, b), ('fmul', c, d)), ('fmul', ('fmul', ('fmul', a, b), c), d))", Driver::kAsWritten,
       kNone, 1.0},
  };
  for (const auto& planted : kPlanted) {
    CheckOptions options = Options(32, 80);
    options.only = planted.driver;
    options.planted.emplace();
    if (planted.growth != kNone) options.planted->growth = planted.growth;
    if (planted.ulp_bound != kNone) options.planted->ulp_bound = planted.ulp_bound;
    const absl::StatusOr<RuleResult> result = CheckAccuracy(planted.rule, options);
    ASSERT_TRUE(result.ok()) << planted.rule << result.status();
    const std::string found = result->drivers[0].Fault(result->sides);
    EXPECT_NE(found, "") << planted.rule;
    std::cout << planted.rule << ": " << found << "\n";
  }
}

}  // namespace
}  // namespace rewrought::accuracy
