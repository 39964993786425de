#include "ir/dag.h"

#include <array>
#include <utility>

#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

constexpr int kWidth = 4;

// Two conditions, and a factor of kWidth bits.
struct Factors {
  Dag dag;
  ValueIndex p = dag.InputNamed("p", 1), q = dag.InputNamed("q", 1), x = dag.InputNamed("x", kWidth);

  ValueIndex Select(ValueIndex condition, uint64_t then, uint64_t otherwise) {
    return dag.Ite(condition, dag.Literal(then, kWidth), dag.Literal(otherwise, kWidth));
  }
  ValueIndex Times(ValueIndex a, ValueIndex b) { return dag.Make(Primitive::kMul, kWidth, {a, b}); }
};

// Whether `product` is `factor` times x, on all inputs.
void ExpectProduct(Factors* f, ValueIndex product, ValueIndex factor) {
  Evaluator evaluator(&f->dag);
  for (uint64_t bits = 0; bits < (1 << (kWidth + 2)); ++bits) {
    const std::array<uint64_t, 3> inputs = {bits & 1, (bits >> 1) & 1, bits >> 2};
    evaluator.Start(inputs, nullptr);
    EXPECT_EQ(evaluator.Evaluate(product), (evaluator.Evaluate(factor) * inputs[2]) & MaskOf(kWidth)) << bits;
  }
}

TEST(Dag, AProductWithASignIsASelection) {
  const uint64_t minus = MaskOf(kWidth);
  for (const uint64_t a : {uint64_t{0}, uint64_t{1}, minus}) {
    for (const uint64_t b : {uint64_t{0}, uint64_t{1}, minus}) {
      if (a == b) continue;
      for (const uint64_t c : {uint64_t{0}, uint64_t{1}, minus}) {
        Factors f;
        const ValueIndex sign = f.dag.Ite(f.q, f.Select(f.p, a, b), f.dag.Literal(c, kWidth));
        const ValueIndex product = f.Times(f.x, sign);
        EXPECT_EQ(f.dag.at(product).primitive, Primitive::kIte);
        EXPECT_EQ(f.Times(sign, f.x), product);
        ExpectProduct(&f, product, sign);
      }
    }
  }
}

// (imin (imax a -1) 1) and its like, as drivers lower isign; -1 and 1 may stand on either side.
TEST(Dag, AProductWithWhatLiesBetweenMinusOneAndOneIsASelection) {
  const uint64_t minus = MaskOf(kWidth);
  for (int order = 0; order < 8; ++order) {
    Factors f;
    const ValueIndex y = f.dag.InputNamed("y", kWidth), zero = f.dag.Literal(0, kWidth);
    const auto extremum = [&](bool most, bool swapped, ValueIndex a, ValueIndex b) {
      if (swapped) std::swap(a, b);
      return f.dag.Ite(f.dag.Make(Primitive::kSlt, 1, {a, b}), most ? b : a, most ? a : b);
    };
    const bool most_first = order & 1;
    const ValueIndex inner = extremum(most_first, order & 2, f.x, f.dag.Literal(most_first ? minus : 1, kWidth));
    const ValueIndex sign = extremum(!most_first, order & 4, inner, f.dag.Literal(most_first ? 1 : minus, kWidth));
    const ValueIndex product = f.Times(sign, y),
                     by_sign = f.dag.Ite(f.dag.Equal(f.x, zero), zero,
                                         f.dag.Ite(f.dag.Make(Primitive::kSlt, 1, {f.x, zero}),
                                                   f.dag.Make(Primitive::kNeg, kWidth, {y}), y));
    EXPECT_EQ(product, by_sign) << order;
    EXPECT_EQ(f.Times(y, sign), product);
    Evaluator evaluator(&f.dag);
    for (uint64_t bits = 0; bits < (1 << (2 * kWidth)); ++bits) {
      const std::array<uint64_t, 4> inputs = {0, 0, bits & minus, bits >> kWidth};
      evaluator.Start(inputs, nullptr);
      EXPECT_EQ(evaluator.Evaluate(product), (evaluator.Evaluate(sign) * inputs[3]) & minus) << order << " " << bits;
    }
  }
}

// Other bounds, two minima, and selections that are no minimum.
TEST(Dag, ProductsWithOtherBoundsStay) {
  const uint64_t minus = MaskOf(kWidth);
  Factors f;
  const auto at_least = [&](uint64_t bound, ValueIndex x) {
    const ValueIndex literal = f.dag.Literal(bound, kWidth);
    return f.dag.Ite(f.dag.Make(Primitive::kSlt, 1, {x, literal}), literal, x);
  };
  const auto at_most = [&](uint64_t bound, ValueIndex x) {
    const ValueIndex literal = f.dag.Literal(bound, kWidth);
    return f.dag.Ite(f.dag.Make(Primitive::kSlt, 1, {literal, x}), literal, x);
  };
  const ValueIndex one = f.dag.Literal(1, kWidth), below = f.dag.Make(Primitive::kUlt, 1, {one, at_least(minus, f.x)});
  for (const ValueIndex factor :
       {at_most(2, at_least(minus, f.x)), at_most(1, at_least(minus - 1, f.x)), at_most(1, at_most(1, f.x)),
        at_least(1, at_most(minus, f.x)), at_most(1, f.x), f.dag.Ite(below, one, at_least(minus, f.x))}) {
    const ValueIndex y = f.dag.InputNamed("y", kWidth);
    EXPECT_EQ(f.dag.at(f.Times(factor, y)).primitive, Primitive::kMul);
  }
}

TEST(Dag, OtherProductsStay) {
  Factors f;
  for (const uint64_t other : {2, 3, 7, 14}) {
    for (const ValueIndex factor : {f.Select(f.p, other, 1), f.Select(f.p, 0, other)}) {
      const ValueIndex product = f.Times(factor, f.x);
      EXPECT_EQ(f.dag.at(product).primitive, Primitive::kMul) << other;
      ExpectProduct(&f, product, factor);
    }
  }
  // Deeper than any op's sign.
  ValueIndex sign = f.Select(f.p, 0, 1);
  for (int i = 0; i < 3; ++i) sign = f.dag.Ite(i % 2 == 0 ? f.q : f.p, f.dag.Literal(i % 2, kWidth), sign);
  EXPECT_EQ(f.dag.at(f.Times(sign, f.x)).primitive, Primitive::kMul);
}

TEST(Dag, AProductOfTwoSigns) {
  Factors f;
  const ValueIndex a = f.Select(f.p, MaskOf(kWidth), 1), b = f.Select(f.q, 0, MaskOf(kWidth));
  const ValueIndex product = f.Times(f.Times(a, b), f.x);
  Evaluator evaluator(&f.dag);
  for (uint64_t x = 0; x <= MaskOf(kWidth); ++x) {
    for (const uint64_t p : {0, 1}) {
      for (const uint64_t q : {0, 1}) {
        const std::array<uint64_t, 3> inputs = {p, q, x};
        evaluator.Start(inputs, nullptr);
        EXPECT_EQ(evaluator.Evaluate(product), q ? 0 : (p ? x : -x) & MaskOf(kWidth)) << p << q << x;
      }
    }
  }
}

}  // namespace
}  // namespace rewrought::ir
