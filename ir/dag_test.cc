#include "ir/dag.h"

#include <array>
#include <bit>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

constexpr int kWidth = 4;

struct Factors {
  Dag dag;
  ValueIndex p = dag.InputNamed("p", 1), q = dag.InputNamed("q", 1), x = dag.InputNamed("x", kWidth);

  ValueIndex Select(ValueIndex condition, uint64_t then, uint64_t otherwise) {
    return dag.Ite(condition, dag.Literal(then, kWidth), dag.Literal(otherwise, kWidth));
  }
  ValueIndex Times(ValueIndex a, ValueIndex b) { return dag.Make(Primitive::kMul, kWidth, {a, b}); }
};

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

TEST(Dag, ADivisionByAPowerOfTwoIsAShift) {
  constexpr Primitive kDivisions[] = {Primitive::kUdiv, Primitive::kUrem, Primitive::kSdiv, Primitive::kSrem};
  for (const Primitive primitive : kDivisions) {
    const bool is_signed = primitive == Primitive::kSdiv || primitive == Primitive::kSrem;
    for (const int width : {1, 8}) {
      for (uint64_t divisor = 0; divisor <= MaskOf(width); ++divisor) {
        Dag dag;
        const ValueIndex x = dag.InputNamed("x", width);
        const ValueIndex result = dag.Make(primitive, width, {x, dag.Literal(divisor, width)});
        const uint64_t negated = (0 - divisor) & MaskOf(width);
        const bool is_power = std::has_single_bit(divisor) || (is_signed && std::has_single_bit(negated));
        EXPECT_EQ(dag.at(result).primitive == primitive, !is_power) << static_cast<int>(primitive) << " by " << divisor;
        Evaluator evaluator(&dag);
        for (uint64_t value = 0; value <= MaskOf(width); ++value) {
          evaluator.Start(std::array<uint64_t, 1>{value}, nullptr);
          EXPECT_EQ(evaluator.Evaluate(result), EvaluatePrimitive(primitive, width, width, 0, value, divisor, 0))
              << static_cast<int>(primitive) << " of " << value << " by " << divisor;
        }
      }
    }
  }
}

// Tests (imin (imax a -1) 1), to which drivers lower isign, and its variants: min and max exchanged, and literals on
// either side.
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

// Tests other bounds, two nested minima, and selects that do not form a minimum.
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
  // A select that is nested too deeply is not recognized as a sign.
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

// A mask has no effect if the bits that it clears are shifted out, truncated or cleared again.
TEST(Dag, AMaskOfLowBitsFallsAwayWhereOnlyTheyAreUsed) {
  Dag dag;
  const ValueIndex a = dag.InputNamed("a", 32), b = dag.InputNamed("b", 32), low = dag.Literal(0xffff, 32),
                   sixteen = dag.Literal(16, 32);
  const auto make = [&](Primitive primitive, ValueIndex x, ValueIndex y) { return dag.Make(primitive, 32, {x, y}); };
  const auto shifted = [&](ValueIndex x) { return make(Primitive::kShl, x, sixteen); };
  const ValueIndex high = make(Primitive::kLshr, b, sixteen);
  // Compares two forms of imadsh_mix16(a, b, 0): the meaning in its row and the form that occurs in shaders.
  EXPECT_EQ(shifted(make(Primitive::kMul, make(Primitive::kAnd, a, low), high)),
            shifted(make(Primitive::kMul, a, high)));
  EXPECT_EQ(dag.Make(Primitive::kExtract, 16, {make(Primitive::kAnd, low, a)}, 0),
            dag.Make(Primitive::kExtract, 16, {a}, 0));
  EXPECT_EQ(make(Primitive::kAnd, dag.Literal(0xff, 32), make(Primitive::kAdd, make(Primitive::kAnd, a, low), b)),
            make(Primitive::kAnd, make(Primitive::kAdd, b, a), dag.Literal(0xff, 32)));
  EXPECT_EQ(shifted(make(Primitive::kOr, a, dag.Literal(0xabcd0000, 32))), shifted(a));
  // A mask that clears a relevant bit is kept. A shift by at least the width keeps no bits.
  for (const uint64_t mask : {uint64_t{0x7fff}, uint64_t{0xfffe}, uint64_t{0xffff0000}}) {
    EXPECT_NE(shifted(make(Primitive::kAnd, a, dag.Literal(mask, 32))), shifted(a)) << mask;
  }
  const ValueIndex masked = make(Primitive::kAnd, a, low);
  EXPECT_NE(make(Primitive::kShl, masked, dag.Literal(15, 32)), make(Primitive::kShl, a, dag.Literal(15, 32)));
  EXPECT_NE(make(Primitive::kShl, masked, dag.Literal(32, 32)), make(Primitive::kShl, a, dag.Literal(32, 32)));
  EXPECT_NE(dag.Make(Primitive::kExtract, 16, {masked}, 1), dag.Make(Primitive::kExtract, 16, {a}, 1));
}

// Builds random 6-bit terms, each in its own Dag, and compares their values with the expected values on every seventh
// input.
TEST(Dag, LowBitsOfRandomTermsAreWhatTheyWere) {
  constexpr int kBits = 6, kInputs = 2;
  constexpr std::array<Primitive, 8> kBinary = {Primitive::kAnd, Primitive::kOr,  Primitive::kXor, Primitive::kAdd,
                                                Primitive::kSub, Primitive::kMul, Primitive::kShl, Primitive::kLshr};
  std::mt19937 random(1);
  size_t simplified = 0;
  for (int term = 0; term < 3000; ++term) {
    Dag dag;
    // The values of the term, each with its expected results on all inputs.
    std::vector<std::pair<ValueIndex, std::vector<uint64_t>>> values;
    const auto add = [&](ValueIndex value, const std::function<uint64_t(size_t)>& meaning) {
      std::vector<uint64_t> table(1 << (kBits * kInputs));
      for (size_t i = 0; i < table.size(); ++i) table[i] = meaning(i) & MaskOf(kBits);
      values.emplace_back(value, std::move(table));
    };
    for (int i = 0; i < kInputs; ++i) {
      add(dag.InputNamed(i == 0 ? "a" : "b", kBits), [i](size_t inputs) { return inputs >> (kBits * i); });
    }
    for (const uint64_t literal : {1, 2, 3, 7, 15, static_cast<int>(random() % 64)}) {
      add(dag.Literal(literal, kBits), [literal](size_t) { return literal; });
    }
    for (int step = 0; step < 10; ++step) {
      const Primitive primitive = kBinary[random() % kBinary.size()];
      const auto x = random() % 2 == 0 ? values.back() : values[random() % values.size()];
      const auto y = values[random() % values.size()];
      const ValueIndex made = dag.Make(primitive, kBits, {x.first, y.first});
      add(made, [&](size_t inputs) {
        return EvaluatePrimitive(primitive, kBits, kBits, 0, x.second[inputs], y.second[inputs], 0);
      });
      const Value& value = dag.at(made);
      simplified +=
          value.primitive == primitive && value.operands[0] != x.first && value.operands[1] != x.first ? 1 : 0;
    }
    Evaluator evaluator(&dag);
    for (size_t i = random() % 7; i < values[0].second.size(); i += 7) {
      const std::array<uint64_t, kInputs> inputs = {i & MaskOf(kBits), i >> kBits};
      evaluator.Start(inputs, nullptr);
      for (const auto& [value, table] : values) ASSERT_EQ(evaluator.Evaluate(value), table[i]) << term << " " << i;
    }
  }
  EXPECT_GT(simplified, 50u);
}

}  // namespace
}  // namespace rewrought::ir
