#include "ir/facts/polynomial.h"

#include <array>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

struct Ring {
  explicit Ring(int bits) : width(bits) {}
  int width;
  Dag dag;
  ValueIndex a = dag.InputNamed("a", width), b = dag.InputNamed("b", width), c = dag.InputNamed("c", width);

  ValueIndex Make(Primitive primitive, ValueIndex x, ValueIndex y) { return dag.Make(primitive, width, {x, y}); }
  ValueIndex Sum(ValueIndex x, ValueIndex y) { return Make(Primitive::kAdd, x, y); }
  ValueIndex Product(ValueIndex x, ValueIndex y) { return Make(Primitive::kMul, x, y); }
  ValueIndex Shift(ValueIndex x, ValueIndex y) { return Make(Primitive::kShl, x, y); }
  ValueIndex Literal(uint64_t value) { return dag.Literal(value, width); }
  bool Equal(ValueIndex x, ValueIndex y) { return AreEqualPolynomials(dag, {x}, {y}); }
};

TEST(Polynomial, KnowsTheLawsOfRings) {
  for (const int width : {8, 64}) {
    Ring r(width);
    EXPECT_TRUE(r.Equal(r.Product(r.a, r.Sum(r.b, r.c)), r.Sum(r.Product(r.b, r.a), r.Product(r.a, r.c))));
    EXPECT_TRUE(r.Equal(r.Shift(r.Sum(r.b, r.c), r.a), r.Sum(r.Shift(r.c, r.a), r.Shift(r.b, r.a))));
    EXPECT_TRUE(r.Equal(r.Product(r.Shift(r.b, r.a), r.c), r.Shift(r.Product(r.b, r.c), r.a)));
    EXPECT_TRUE(r.Equal(r.Shift(r.a, r.Literal(3)), r.Product(r.a, r.Literal(8))));
    EXPECT_TRUE(r.Equal(r.dag.Make(Primitive::kNot, width, {r.dag.Make(Primitive::kNeg, width, {r.a})}),
                        r.Make(Primitive::kSub, r.a, r.Literal(1))));
    EXPECT_FALSE(r.Equal(r.Product(r.a, r.b), r.Product(r.a, r.c)));
    EXPECT_FALSE(r.Equal(r.Sum(r.a, r.a), r.a));
    EXPECT_FALSE(r.Equal(r.Shift(r.a, r.b), r.Shift(r.b, r.a)));
    EXPECT_FALSE(r.Equal(r.Shift(r.a, r.b), r.Product(r.a, r.b)));
    EXPECT_FALSE(AreEqualPolynomials(r.dag, {r.a, r.b}, {r.a}));
  }
}

TEST(Polynomial, ComparesCoefficientsModuloTheWidth) {
  Ring r(8);
  EXPECT_TRUE(r.Equal(r.Product(r.Product(r.a, r.Literal(16)), r.Literal(16)), r.Literal(0)));
  EXPECT_TRUE(r.Equal(r.Shift(r.Shift(r.a, r.Literal(5)), r.Literal(4)), r.Literal(0)));
  EXPECT_TRUE(r.Equal(r.Shift(r.a, r.Literal(64)), r.Literal(0)));
  EXPECT_FALSE(r.Equal(r.Shift(r.a, r.Literal(64)), r.a));
  Dag dag;
  const ValueIndex narrow = dag.InputNamed("a", 8), wide = dag.InputNamed("b", 16);
  EXPECT_FALSE(AreEqualPolynomials(dag, {narrow}, {wide}));
  EXPECT_FALSE(AreEqualPolynomials(dag, {dag.Literal(0, 8)}, {dag.Literal(0, 16)}));
}

TEST(Polynomial, EqualPolynomialsHaveEqualValues) {
  constexpr int kBits = 3;
  constexpr std::array<Primitive, 7> kBinary = {Primitive::kAdd, Primitive::kSub, Primitive::kMul, Primitive::kShl,
                                                Primitive::kAnd, Primitive::kXor, Primitive::kLshr};
  std::mt19937 random(1);
  int equal = 0, different = 0;
  for (int term = 0; term < 400; ++term) {
    Ring r(kBits);
    std::vector<ValueIndex> values = {r.a, r.b, r.c, r.Literal(1), r.Literal(random() % 8)};
    for (int step = 0; step < 40; ++step) {
      // The ring operations come first in kBinary and are chosen more often.
      const Primitive primitive = kBinary[random() % 3 == 0 ? random() % kBinary.size() : random() % 4];
      values.push_back(r.Make(primitive, values[random() % values.size()], values[random() % values.size()]));
      if (random() % 4 == 0) values.push_back(r.dag.Make(Primitive::kNot, kBits, {values.back()}));
    }
    Evaluator evaluator(&r.dag);
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (values[i] == values[k]) continue;
        if (!r.Equal(values[i], values[k])) {
          ++different;
          continue;
        }
        ++equal;
        for (uint64_t inputs = 0; inputs < 1u << (3 * kBits); ++inputs) {
          const std::array<uint64_t, 3> point = {inputs & 7, inputs >> 3 & 7, inputs >> 6};
          evaluator.Start(point, nullptr);
          ASSERT_EQ(evaluator.Evaluate(values[i]), evaluator.Evaluate(values[k])) << term << " " << i << " " << k;
        }
      }
    }
  }
  EXPECT_GT(equal, 1000);
  EXPECT_GT(different, 1000);
}

}  // namespace
}  // namespace rewrought::ir
