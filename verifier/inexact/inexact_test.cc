#include "verifier/inexact/inexact.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <string>

#include "absl/strings/match.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

InexactVerdict VerifyRule(absl::string_view rule, int width = 32, Solver* solver = SharedPool()) {
  const RuleCase rule_case = CaseOf(rule, width, ir::DenormMode::kAny);
  const absl::StatusOr<InexactVerdict> verdict = VerifyInexact(rule_case, solver);
  if (!verdict.ok()) {
    ADD_FAILURE() << rule << ": " << verdict.status().message();
    return {};
  }
  EXPECT_TRUE(!verdict->holds || verdict->reals_equal);
  EXPECT_EQ(verdict->reals_equal, absl::StartsWith(verdict->reals, "proved"));
  return *verdict;
}

std::string SpecialOf(const InexactVerdict& verdict, absl::string_view name) {
  for (const auto& [kind, text] : verdict.special) {
    if (kind == name) return text;
  }
  return "absent";
}

// Each line of tests/rules/inexact_style.rules states its expected result.
TEST(Inexact, VerifiesTheRuleFileAsItSays) {
  std::ifstream file("tests/rules/inexact_style.rules");
  ASSERT_TRUE(file.good());
  int held = 0, refuted = 0;
  for (std::string line; std::getline(file, line);) {
    const size_t mark = line.find("# expect: ");
    if (line.empty() || line[0] == '#' || mark == std::string::npos) continue;
    const std::string rule = line.substr(0, mark), expected = line.substr(mark + 10);
    const InexactVerdict verdict = VerifyRule(rule);
    std::cout << (verdict.holds ? "inexact " : "-        ") << rule << " " << verdict.reals << "\n";
    if (absl::StartsWith(expected, "inexact")) {
      EXPECT_TRUE(verdict.holds) << rule << verdict.reals;
      ++held;
    } else if (absl::StartsWith(expected, "refuted")) {
      EXPECT_FALSE(verdict.holds) << rule;
      EXPECT_TRUE(absl::StartsWith(verdict.reals, "refuted")) << rule << verdict.reals;
      ++refuted;
    }
  }
  EXPECT_EQ(held, 33);
  EXPECT_GE(refuted, 9);
}

TEST(Inexact, LicensesNothingThatIsNotEqualOverTheReals) {
  for (const char* const rule : {
           "(('~fadd', a, b), ('fmul', a, b))",
           "(('~fmul', a, 2.0), a)",
           "(('~fmul', a, 0.1), ('fdiv', a, 10.0))",  // 0.1 is not exactly one tenth
           "(('~fadd', a, 1e-30), a)",
           "(('~fmul', a, 1.0000001), a)",
           "(('~fsqrt', ('fmul', a, a)), a)",
           "(('~fexp2', ('fmul', a, b)), ('fmul', ('fexp2', a), ('fexp2', b)))",
           "(('~flog2', ('fmul', a, b)), ('fadd', ('flog2', a), ('flog2', b)))",       // a and b may both be negative
           "(('~fadd', a, b), ('fmul', ('fadd', ('fmul', a, ('frcp', b)), 1.0), b))",  // undefined at b = 0
           "(('~fmin', a, b), ('fmax', a, b))",
           "(('~fsat', ('fadd', a, b)), ('fadd', ('fsat', a), ('fsat', b)))",
           "(('~ffloor', ('fadd', a, b)), ('fadd', ('ffloor', a), ('ffloor', b)))",
           "(('~fabs', ('fadd', a, b)), ('fadd', ('fabs', a), ('fabs', b)))",
           "(('~bcsel', ('flt', a, b), a, b), ('fmax', a, b))",
           "(('~flt', ('fmul', a, -2.0), ('fmul', b, -2.0)), ('flt', a, b))",
           "(('~fsin', a), a)",
           "(('~fcos', ('fneg', a)), ('fneg', ('fcos', a)))",
           "(('~fpow', a, b), ('fexp2', ('fmul', a, b)))",
           "(('~fadd', ('fmul', ('fsin', a), ('fsin', a)), ('fmul', ('fcos', b), ('fcos', b))), 1.0)",
           "(('~f2f32', ('f2f16', 'a@32')), a)",  // rounds intentionally
           "(('~bcsel', a, 1.0, 2.0), 1.0)",
           "(('~frcp', ('fadd', a, ('fneg', a))), 0.0)",  // defined nowhere
           "(('~fneu', a, b), ('flt', a, b))",
           "(('~iand', ('flt', a, b), ('flt', a, c)), ('flt', a, ('fmax', b, c)))",
           "(('~ior', ('fge', a, b), ('flt', b, a)), True)",
           "(('~fsign', ('fadd', a, 2.0)), ('fsign', a))",
           "(('~fmul', ('b2f', 'a@1'), b), ('bcsel', a, 0.0, b))",
           "(('~fabs', a), a)",
           "(('~fadd', a, ('fmul', b, 0.0)), ('fdiv', ('fmul', a, b), b))",  // undefined at b = 0
           "(('~fadd', ('flog2', a), ('flog2', b)), ('flog2', ('fadd', a, b)))",
           "(('~fadd', ('flog2', a), ('fmul', b, 0.0)), ('flog2', ('fabs', ('fmul', a, b))))",
           "(('~flog2', ('fmul', a, a)), ('fmul', 2.0, ('flog2', a)))",                 // a may be negative
           "(('~fpow', ('fmul', a, b), c), ('fmul', ('fpow', a, c), ('fpow', b, c)))",  // both may be negative
           "(('~fmul', ('fsqrt', a), ('fsqrt', b)), ('fsqrt', ('fadd', a, b)))",
           "(('~fsin', ('fabs', a)), ('fsin', a))",
           "(('~fcos', ('fmin', a, b)), ('fcos', a))",
           "(('~frcp', a), ('fmul', ('frsq', a), ('frsq', a)))",  // undefined below 0
           "(('~fsat', a), ('fmax', a, 0.0))",
           "(('~fmul', a, 2.0), ('iadd', a, 8388608))",                                // bits, not a number
           "(('~fround_even', ('fadd', a, 1.0)), ('fadd', ('fround_even', a), 1.0))",  // 2 and 1 at a = 0.5
           "(('~ftrunc', ('fadd', a, 1.0)), ('fadd', ('ftrunc', a), 1.0))",
           "(('~flrp', a, b, c), ('ffma', c, ('fadd', a, ('fneg', b)), a))",
           "(('~fdot2', a, b), ('fmul', a, b))",
           "(('~fpow', ('fpow', a, 2.2), 0.454545), a)",
           "(('~fexp2', ('fmul', ('flog2', a), 0.5)), a)",
           "(('~ffract', a), 0.0)",
           "(('~flt', ('frcp', a), 1.0), ('flt', 1.0, a))",  // negative a
           "(('~ffloor', a), ('fround_even', a))",
       }) {
    const InexactVerdict verdict = VerifyRule(rule);
    EXPECT_FALSE(verdict.holds) << rule << " " << verdict.reals;
    EXPECT_FALSE(verdict.reals_equal) << rule;
    EXPECT_FALSE(verdict.ulp_bound.has_value());
  }
}

TEST(Inexact, LicensesIdentitiesOfApproximatedFunctions) {
  for (const char* const rule : {
           "(('~fmul', ('fexp2', a), ('fexp2', b)), ('fexp2', ('fadd', a, b)))",
           "(('~flog2', ('fexp2', a)), a)",
           "(('~fexp2', ('flog2', a)), a)",
           "(('~fadd', ('flog2', a), ('flog2', b)), ('flog2', ('fmul', a, b)))",
           "(('~fadd', ('flog2', a), ('fneg', ('flog2', b))), ('flog2', ('fdiv', a, b)))",
           "(('~fmul', ('fpow', a, c), ('fpow', b, c)), ('fpow', ('fmul', a, b), c))",
           "(('~fmul', ('flog2', a), 3.0), ('flog2', ('fmul', a, ('fmul', a, a))))",
           "(('~fcos', ('fabs', a)), ('fcos', a))",
           "(('~fcos', a), ('fcos', ('fabs', a)))",
           "(('~frsq', a), ('frcp', ('fsqrt', a)))",
           "(('~frcp', ('fsqrt', a)), ('frsq', a))",
           "(('~fmul', ('fsqrt', a), ('fsqrt', a)), a)",
           "(('~fsqrt', ('fmul', a, a)), ('fabs', a))",
           "(('~fpow', a, 2.0), ('fmul', a, a))",
           "(('~fpow', a, b), ('fexp2', ('fmul', ('flog2', a), b)))",
           "(('~flog2', ('fpow', a, b)), ('fmul', b, ('flog2', a)))",
           "(('~frcp', ('frcp', a)), a)",
           "(('~fdiv', a, b), ('fmul', a, ('frcp', b)))",
           "(('~fmul', ('frcp', a), a), 1.0)",
           "(('~fsin', ('fneg', a)), ('fneg', ('fsin', a)))",
           "(('~fadd', ('fmul', ('fsin', a), ('fsin', a)), ('fmul', ('fcos', a), ('fcos', a))), 1.0)",
           "(('~ffract', a), ('fadd', a, ('fneg', ('ffloor', a))))",
           "(('~ffloor', ('fadd', a, 2.0)), ('fadd', ('ffloor', a), 2.0))",
           "(('~fdot3', a, b), ('fdot3', b, a))",
           "(('~bcsel', ('fge', a, 0.0), ('fsqrt', a), 0.0), ('fsqrt', ('fmax', a, 0.0)))",
           "(('~fsqrt', 'a(is_not_negative)'), ('fsqrt', ('fabs', a)))",
           "(('~iand', ('flt', a, b), ('flt', a, c)), ('flt', a, ('fmin', b, c)))",
           "(('~ior', ('fge', a, b), ('flt', a, b)), True)",
           "(('~fmax', a, ('fneg', a)), ('fabs', a))",
           "(('~fmin', ('fmax', a, 0.0), 1.0), ('fsat', a))",
           "(('~fsat', ('fadd', 1.0, ('fneg', ('fsat', a)))), ('fadd', 1.0, ('fneg', ('fsat', a))))",
           "(('~fmul', ('b2f', 'a@1'), b), ('bcsel', a, b, 0.0))",
           "(('~fsign', ('fmul', a, 2.0)), ('fsign', a))",
           "(('~fneg', ('fmin', a, b)), ('fmax', ('fneg', a), ('fneg', b)))",
           "(('~flt', 0.0, ('fabs', a)), ('fneu', a, 0.0))",
           "(('~fmul', ('fsign', a), a), ('fabs', a))",
           "(('~fdiv', ('fmul', a, b), ('fmul', c, b)), ('fdiv', a, c))",
           "(('~fpow', ('fpow', a, b), c), ('fpow', a, ('fmul', b, c)))",
           "(('~fmul', ('fpow', a, b), ('fpow', a, c)), ('fpow', a, ('fadd', b, c)))",
           "(('~fmul', a, ('frsq', ('fmul', a, a))), ('fsign', a))",
           "(('~fexp2', ('fmul', ('flog2', a), 0.5)), ('fsqrt', a))",
           "(('~frsq', ('fexp2', a)), ('fexp2', ('fmul', -0.5, a)))",
           "(('~ffract', 'a(is_integral)'), 0.0)",
           "(('~flt', 0.0, ('frcp', a)), ('flt', 0.0, a))",
           "(('~fmul', ('fsign', a), ('ffloor', ('fadd', ('fabs', a), 0.5))), ('ftrunc', ('fadd', a, ('fmul', "
           "('fsign', a), "
           "0.5))))",
       }) {
    const InexactVerdict verdict = VerifyRule(rule);
    EXPECT_TRUE(verdict.holds) << rule << " " << verdict.reals;
  }
}

TEST(Inexact, HoldsAtEveryFloatWidth) {
  for (const int width : {16, 32, 64}) {
    const InexactVerdict verdict = VerifyRule("(('~ffma', a, b, c), ('fadd', ('fmul', a, b), c))", width);
    EXPECT_TRUE(verdict.holds) << verdict.reals;
    // A single rounding has an error of at most half an ulp; two roundings may have a large error after cancellation.
    EXPECT_LE(*verdict.ulp_before_max, 0.5);
    EXPECT_GT(*verdict.ulp_after_max, 0.5);
    EXPECT_TRUE(
        VerifyRule("(('~fadd', ('fmul', a, ('fadd', 1.0, ('fneg', c))), ('fmul', b, c)), ('flrp', a, b, c))", width)
            .holds);
  }
}

TEST(Inexact, SaysWhereSpecialInputsDiffer) {
  const InexactVerdict zero = VerifyRule("(('~fmul', a, 0.0), 0.0)");
  EXPECT_EQ(SpecialOf(zero, "nan"), "a: nan -> 0");
  EXPECT_EQ(SpecialOf(zero, "+inf"), "a: nan -> 0");
  EXPECT_EQ(SpecialOf(zero, "-0"), "a: -0 -> 0");
  EXPECT_EQ(SpecialOf(zero, "overflow"), "same");
  const InexactVerdict halved = VerifyRule("(('~fmul', ('fmul', a, 2.0), 0.5), a)");
  EXPECT_EQ(SpecialOf(halved, "overflow"), "a: inf -> 3.40282347e+38");
  EXPECT_NE(SpecialOf(halved, "denormal flushed"), "same");
  EXPECT_EQ(SpecialOf(halved, "denormal"), "same");
  // All NaN results are considered equal.
  const InexactVerdict inverse = VerifyRule("(('~fmul', ('frcp', a), a), 1.0)");
  EXPECT_EQ(SpecialOf(inverse, "nan"), "a: nan -> 1");
  EXPECT_EQ(SpecialOf(inverse, "+0"), "a: nan -> 1");
  EXPECT_EQ(SpecialOf(VerifyRule("(('~flrp', a, b, 1.0), b)"), "nan"), "a: nan -> 1.5");
  EXPECT_EQ(inverse.ulp_after_max, 0);
  const InexactVerdict wide = VerifyRule("(('~inot', ('flt32', a, b)), ('fge32', a, b))");
  EXPECT_EQ(SpecialOf(wide, "nan"), "a: true -> false; b: true -> false; all: true -> false");
  const InexactVerdict saturated = VerifyRule("(('~fmax', ('fmin', a, 1.0), 0.0), ('fsat', a))");
  EXPECT_EQ(SpecialOf(saturated, "nan"), "a: 1 -> 0");
}

TEST(Inexact, StatesErrorsOfBothSides) {
  const InexactVerdict product = VerifyRule("(('~fmul', ('fmul', a, b), c), ('fmul', a, ('fmul', b, c)))");
  ASSERT_TRUE(product.ulp_bound.has_value());
  EXPECT_LE(*product.ulp_after_max, *product.ulp_bound);
  EXPECT_LT(*product.ulp_bound, 2.01);
  EXPECT_GT(*product.ulp_after_max, 0.5);
  EXPECT_GT(*product.ulp_after_median, 0);
  EXPECT_FALSE(VerifyRule("(('~fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))").ulp_bound.has_value());
  // At 16 bits, an addend that is too small is lost.
  const InexactVerdict truth = VerifyRule("(('~fge', ('fadd', a, b), a), ('fge', b, 0.0))", 16);
  EXPECT_FALSE(truth.ulp_after_max.has_value());
  EXPECT_NE(SpecialOf(truth, "wrong Booleans"), "absent");
}

TEST(Inexact, DoesWithoutASolverAndWithALyingOne) {
  EXPECT_TRUE(
      VerifyRule("(('~fmul', a, ('fadd', b, c)), ('fadd', ('fmul', a, b), ('fmul', a, c)))", 32, nullptr).holds);
  const InexactVerdict undecided = VerifyRule("(('~fmin', a, ('fmax', a, b)), a)", 32, nullptr);
  EXPECT_FALSE(undecided.holds);
  EXPECT_TRUE(absl::StartsWith(undecided.reals, "unknown")) << undecided.reals;
  // A rule that sampled points refute never reaches the solver.
  class Liar : public Solver {
   public:
    SolverAnswer Solve(const SolverQuery&) override { return {.answer = Answer::kUnsat, .solver = "liar"}; }
    std::string name_and_version() override { return "liar"; }
  } liar;
  EXPECT_FALSE(VerifyRule("(('~fmin', a, b), a)", 32, &liar).holds);
  // A model is not a proof.
  class Doubter : public Solver {
   public:
    SolverAnswer Solve(const SolverQuery&) override { return {.answer = Answer::kSat, .solver = "doubter"}; }
    std::string name_and_version() override { return "doubter"; }
  } doubter;
  EXPECT_FALSE(VerifyRule("(('~fmin', a, ('fmax', a, b)), a)", 32, &doubter).holds);
}

TEST(Inexact, IsTheSameTwice) {
  const char* const rule = "(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))";
  const InexactVerdict first = VerifyRule(rule), second = VerifyRule(rule);
  EXPECT_EQ(first.reals, second.reals);
  EXPECT_EQ(first.special, second.special);
  EXPECT_EQ(first.ulp_before_max, second.ulp_before_max);
  EXPECT_EQ(first.ulp_after_median, second.ulp_after_median);
}

TEST(Inexact, FindsTheMark) {
  EXPECT_TRUE(IsMarkedInexact(CaseOf("(('fneg', ('~fadd', a, b)), a)", 32, ir::DenormMode::kAny).search));
  EXPECT_FALSE(IsMarkedInexact(CaseOf("(('fneg', ('fadd', a, b)), a)", 32, ir::DenormMode::kAny).search));
}

v1::AccuracyClass AccuracyOf(absl::string_view rule, bool fuses, std::string* hardest = nullptr) {
  InexactOptions options;
  options.fuses = [fuses](int) { return fuses; };
  const auto verdict = VerifyInexact(CaseOf(rule, 32, ir::DenormMode::kAny), SharedPool(), options);
  EXPECT_TRUE(verdict.ok() && verdict->holds) << rule;
  if (hardest != nullptr) *hardest = verdict->hardest;
  return verdict->accuracy;
}

// If the product is near -b, rounding it loses digits that the search side keeps, but a fused product keeps more digits
// than the search side. The other rules are variants of the first.
TEST(Accuracy, IsTheTargetsOwn) {
  for (const char* const rule : {
           "(('~fmul', ('fadd', 1.0, a), b), ('fadd', ('fmul', a, b), b))",
           "(('~fmul', ('fadd', -1.0, ('b2f', 'a@1')), b), ('fadd', ('fmul', ('b2f', a), b), ('fneg', b)))",
           "(('~fmul', ('fadd', 1.0, ('fadd', a, b)), c), ('fadd', ('fmul', ('fadd', a, b), c), c))",
           "(('~flt', a, ('fmul', ('fadd', -1.0, b), c)), ('flt', a, ('fadd', ('fmul', b, c), ('fneg', c))))",
           "(('~flog2', ('fmax', ('fmul', ('fadd', 1.0, a), b), 0.5)), ('flog2', ('fmax', ('fadd', ('fmul', a, b), b), "
           "0.5)))",
       }) {
    EXPECT_EQ(AccuracyOf(rule, true), v1::ACCURACY_CLASS_NOT_LESS_ACCURATE) << rule;
  }
  std::string hardest;
  EXPECT_EQ(AccuracyOf("(('~fmul', ('fadd', 1.0, a), b), ('fadd', ('fmul', a, b), b))", false, &hardest),
            v1::ACCURACY_CLASS_CANCELLING);
  EXPECT_TRUE(absl::StrContains(hardest, "a = ")) << hardest;
}

TEST(Accuracy, CancellationIsSearchedFor) {
  for (const char* const rule : {
           "(('~fmul', ('fadd', a, b), ('fadd', a, ('fneg', b))), ('fadd', ('fmul', a, a), ('fneg', ('fmul', b, b))))",
           "(('~fmul', a, ('fadd', b, c)), ('fadd', ('fmul', a, b), ('fmul', a, c)))",
           "(('~fmul', ('fadd', ('fadd', 1.0, a), b), c), ('fadd', ('fmul', c, ('fadd', a, b)), c))",
           "(('~fadd', ('fadd', a, b), c), ('fadd', a, ('fadd', b, c)))",
       }) {
    for (const bool fuses : {false, true}) {
      std::string hardest;
      EXPECT_EQ(AccuracyOf(rule, fuses, &hardest), v1::ACCURACY_CLASS_CANCELLING) << rule << fuses;
      EXPECT_FALSE(hardest.empty()) << rule;
    }
  }
}

TEST(Accuracy, FactoringKeepsDigits) {
  for (const char* const rule : {
           "(('~fadd', ('fmul', a, b), ('fmul', a, c)), ('fmul', a, ('fadd', b, c)))",
           "(('~fadd', ('fadd', a, b), ('fneg', ('fadd', c, b))), ('fadd', a, ('fneg', c)))",
           "(('~bcsel', 'a@1', ('fadd', b, c), ('fadd', d, c)), ('fadd', c, ('bcsel', a, b, d)))",
           "(('~fmul', ('frcp', a), ('frcp', b)), ('frcp', ('fmul', a, b)))",
       }) {
    for (const bool fuses : {false, true}) EXPECT_EQ(AccuracyOf(rule, fuses), v1::ACCURACY_CLASS_NOT_LESS_ACCURATE);
  }
}

}  // namespace
}  // namespace rewrought::verifier
