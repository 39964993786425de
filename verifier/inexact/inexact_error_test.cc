#include "verifier/inexact/inexact_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/scalar.h"
#include "verifier/inexact/inexact_number.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

std::unique_ptr<PreparedCase> Prepare(absl::string_view rule, int width = 32) {
  auto prepared = PreparedCase::Create(WithNamedFlagsOnly(CaseOf(rule, width, ir::DenormMode::kPreserve)));
  EXPECT_TRUE(prepared.ok()) << prepared.status().message();
  return *std::move(prepared);
}

std::vector<InputReading> AllReal(const PreparedCase& prepared) {
  return std::vector<InputReading>(prepared.dag().inputs().size(), InputReading::kReal);
}

TEST(ErrorInUlp, CountsUnitsOfTheReference) {
  BigNumber reference;
  mpfr_set_d(reference.get(), 1, MPFR_RNDN);
  EXPECT_EQ(ErrorInUlp(reference, 1 + 0x1p-23, 32), 1);
  EXPECT_EQ(ErrorInUlp(reference, 1 - 0x1p-24, 32), 0.5);
  EXPECT_EQ(ErrorInUlp(reference, 1 + 0x1p-10, 16), 1);
  EXPECT_EQ(ErrorInUlp(reference, 1 + 0x1p-52, 64), 1);
  mpfr_set_d(reference.get(), 0x1p-140, MPFR_RNDN);  // below the smallest normal, an ulp is 2^-149
  EXPECT_EQ(ErrorInUlp(reference, 0, 32), 512);
}

TEST(MeasureError, SingleRoundingsAreWithinHalfAUnit) {
  for (const char* const rule : {"(('~fadd', a, b), ('fadd', b, a))", "(('~fmul', a, b), ('fmul', b, a))",
                                 "(('~ffma', a, b, c), ('ffma', b, a, c))", "(('~frcp', a), ('frcp', a))",
                                 "(('~fsqrt', a), ('fsqrt', a))", "(('~fexp2', a), ('fexp2', a))"}) {
    for (const int width : {16, 32, 64}) {
      const auto prepared = Prepare(rule, width);
      const auto points = SampledPoints(*prepared, AllReal(*prepared), 256, 1);
      EXPECT_EQ(points.size(), 256u);
      const auto measured = MeasureError(*prepared, points);
      ASSERT_TRUE(measured.ok()) << measured.status().message();
      ASSERT_TRUE(measured->before_max.has_value());
      EXPECT_LE(*measured->before_max, 0.5) << rule << width;
      EXPECT_GT(*measured->before_max, 0.3) << rule << width;
      EXPECT_EQ(*measured->before_max, *measured->after_max);
    }
  }
}

TEST(MeasureError, SeesALostDigit) {
  const auto prepared = Prepare("(('~fadd', ('fadd', a, 4096.0), -4096.0), a)");
  const auto measured = MeasureError(*prepared, SampledPoints(*prepared, AllReal(*prepared), 256, 1));
  ASSERT_TRUE(measured.ok());
  EXPECT_GT(*measured->before_max, 1000);
  EXPECT_EQ(*measured->after_max, 0);
}

TEST(SampledPoints, LieInTheStatedRangeAndMeetPreconditions) {
  const auto prepared = Prepare("(('~fadd', 'a(is_not_negative)', 'b(is_integral)'), ('fadd', b, a))");
  const auto points = SampledPoints(*prepared, AllReal(*prepared), 200, 7);
  EXPECT_GT(points.size(), 50u);
  for (const auto& point : points) {
    const double a = ir::BitsToFloat(point[0], 32), b = ir::BitsToFloat(point[1], 32);
    EXPECT_TRUE(a == 0 || (a >= 0x1p-8 && a <= 256)) << a;
    EXPECT_EQ(b, std::trunc(b));
  }
}

// No error at a sampled point may exceed the bound, and the bound must be small to be useful.
TEST(ErrorBound, CoversWhatIsMeasured) {
  for (const char* const rule :
       {"(('~fmul', ('fmul', a, b), c), ('fmul', a, ('fmul', b, c)))", "(('~fmul', a, a), ('fmul', a, a))",
        "(('~fadd', ('fmul', a, a), ('fmul', b, b)), ('fadd', ('fmul', a, a), ('fmul', b, b)))",
        "(('~fmul', ('fabs', a), ('fadd', ('fabs', b), 1.0)), ('ffma', ('fabs', a), ('fabs', b), ('fabs', a)))",
        "(('~fadd', ('fmul', a, 3.0), a), ('fmul', a, 4.0))",
        "(('~fadd', ('fadd', a, 2048.0), 1.0), ('fadd', a, 2049.0))",
        "(('~fmul', ('fsat', ('fmul', a, b)), c), ('fmul', ('fsat', ('fmul', a, b)), c))"}) {
    const auto prepared = Prepare(rule);
    const std::optional<double> bound = ErrorBoundInUlp(*prepared);
    ASSERT_TRUE(bound.has_value()) << rule;
    EXPECT_LT(*bound, 8) << rule;
    const auto measured = MeasureError(*prepared, SampledPoints(*prepared, AllReal(*prepared), 1024, 3));
    ASSERT_TRUE(measured.ok());
    EXPECT_LE(*measured->after_max, *bound) << rule;
  }
}

TEST(ErrorBound, IsAbsentWhereItWouldBeUntrue) {
  for (const char* const rule :
       {"(('~fadd', a, b), ('fadd', ('fmul', a, 1.5), b))",  // may cancel
        "(('~frcp', a), ('frcp', a))",                       // the device's error
        "(('~fadd', ('fmul', a, 1048576.0), b), ('fadd', b, ('fmul', 1048576.0, ('fmul', a, 3.0))))",  // a = 0
        "(('~ffloor', a), ('ffloor', a))",
        "(('~fmul', a, 1e37), ('fmul', a, 1e37))",       // overflows
        "(('~fmul', a, 1e-37), ('fmul', a, 1e-37))"}) {  // denormals
    EXPECT_FALSE(ErrorBoundInUlp(*Prepare(rule)).has_value()) << rule;
  }
}

}  // namespace
}  // namespace rewrought::verifier
