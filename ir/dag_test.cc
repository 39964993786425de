#include "ir/dag.h"

#include <array>

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
