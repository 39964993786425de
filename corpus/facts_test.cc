#include "corpus/facts.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "corpus/shader_builder.h"
#include "gtest/gtest.h"
#include "ir/dag.h"
#include "ir/evaluate.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::corpus {
namespace {

class Builder {
 public:
  Lanes Variable(uint8_t bits = 32) { return builder_.AddVariable(bits, 1, "load_input", false); }
  Lanes Uniform() { return builder_.AddVariable(32, 1, "load_ubo", true); }
  Lanes Constant(uint64_t value, uint8_t bits = 32) { return {{builder_.AddConstant(bits, {value}), 0}}; }
  Lanes Float(double value, uint8_t bits = 32) { return Constant(ir::FloatToBits(value, bits), bits); }
  Lanes Op(absl::string_view op, const std::vector<Lanes>& sources, uint8_t bits = 32) {
    const auto node = builder_.AddOp(op, bits, 1, sources, 0);
    EXPECT_TRUE(node.ok()) << node.status();
    return AllLanes(node.value_or(0), 1);
  }
  // Returns the facts of the last value. Nothing may be added after the first call.
  ir::ValueFacts Last() {
    if (shader_.values.nodes.empty()) shader_ = builder_.Take();
    const ir::Shader& shader = shader_;
    return ShaderFacts(shader).at(static_cast<ir::NodeIndex>(shader.values.nodes.size() - 1), 0);
  }
  ir::Shader Take() { return builder_.Take(); }

 private:
  ShaderBuilder builder_{"shader", "source", "fragment"};
  ir::Shader shader_;
};

TEST(Facts, SquareIsNotNegativeButMayBeNan) {
  Builder b;
  const Lanes x = b.Variable();
  b.Op("fmul", {x, x});
  const ir::ValueFacts facts = b.Last();
  EXPECT_TRUE(facts.not_negative());
  EXPECT_FALSE(facts.number);
  // The square of a denormal is zero.
  EXPECT_FALSE(facts.greater_than_zero());
}

TEST(Facts, ProductOfTwoIsUnknown) {
  Builder b;
  b.Op("fmul", {b.Variable(), b.Variable()});
  EXPECT_EQ(b.Last(), ir::ValueFacts{.max_unsigned = 0xffffffff});
}

TEST(Facts, SaturateIsANumberBetweenZeroAndOne) {
  Builder b;
  b.Op("fsat", {b.Variable()});
  const ir::ValueFacts facts = b.Last();
  EXPECT_TRUE(facts.zero_to_one());
  EXPECT_TRUE(facts.finite());
}

TEST(Facts, MinimumAndMaximumSaturate) {
  Builder b;
  b.Op("fmin", {b.Op("fmax", {b.Variable(), b.Float(0)}), b.Float(1)});
  EXPECT_TRUE(b.Last().zero_to_one());
  // If the two ops are swapped, the facts are the same; fmin then turns a NaN into 1.
  Builder c;
  c.Op("fmax", {c.Op("fmin", {c.Variable(), c.Float(1)}), c.Float(0)});
  EXPECT_TRUE(c.Last().zero_to_one());
}

TEST(Facts, MaximumWithWhatMayBeNanBoundsNothing) {
  Builder b;
  const Lanes x = b.Variable();
  const Lanes square = b.Op("fmul", {x, x});
  // If the square is a NaN, the result is the other operand.
  b.Op("fmax", {square, b.Variable()});
  EXPECT_FALSE(b.Last().not_negative());
}

TEST(Facts, OneMinusSaturatedIsSaturated) {
  Builder b;
  const Lanes s = b.Op("fsat", {b.Variable()});
  b.Op("fadd", {b.Float(1), b.Op("fneg", {s})});
  EXPECT_TRUE(b.Last().zero_to_one());
  Builder c;
  c.Op("fsub", {c.Float(1), c.Op("fsat", {c.Variable()})});
  EXPECT_TRUE(c.Last().zero_to_one());
}

TEST(Facts, ASumWithAPositiveConstantIsPositive) {
  Builder b;
  const Lanes x = b.Variable();
  b.Op("fadd", {b.Op("fmul", {x, x}), b.Float(0.5)});
  EXPECT_TRUE(b.Last().greater_than_zero());
  // A denormal constant is not enough, because it may be flushed.
  Builder c;
  const Lanes y = c.Variable();
  c.Op("fadd", {c.Op("fmul", {y, y}), c.Constant(1)});
  EXPECT_TRUE(c.Last().not_negative());
  EXPECT_FALSE(c.Last().greater_than_zero());
}

TEST(Facts, ProductsOfPositivesMayUnderflow) {
  Builder b;
  b.Op("fmul", {b.Float(1e-30), b.Op("fmax", {b.Variable(), b.Float(1e-30)})});
  const ir::ValueFacts facts = b.Last();
  EXPECT_TRUE(facts.not_negative());
  EXPECT_FALSE(facts.greater_than_zero());
}

TEST(Facts, ReciprocalOfNegativeZeroIsNegative) {
  Builder b;
  b.Op("frcp", {b.Op("fabs", {b.Variable()})});
  // fabs(x) is never -0, but the facts do not distinguish +0 from -0.
  EXPECT_FALSE(b.Last().not_negative());
  Builder c;
  c.Op("frcp", {c.Op("fmax", {c.Variable(), c.Float(0.25)})});
  EXPECT_TRUE(c.Last().not_negative());
}

TEST(Facts, InfinityTimesZeroIsNoNumber) {
  Builder b;
  const Lanes number = b.Op("fmax", {b.Variable(), b.Float(0)});
  b.Op("fmul", {number, b.Op("fsat", {b.Variable()})});
  EXPECT_FALSE(b.Last().number);
  Builder c;
  c.Op("fmul", {c.Op("fsat", {c.Variable()}), c.Op("fsat", {c.Variable()})});
  EXPECT_TRUE(c.Last().zero_to_one());
}

TEST(Facts, InfinityMinusInfinityIsNoNumber) {
  Builder b;
  const Lanes x = b.Op("fmax", {b.Variable(), b.Float(0)});
  b.Op("fsub", {x, x});
  EXPECT_FALSE(b.Last().number);
  Builder c;
  c.Op("fadd", {c.Op("fmax", {c.Variable(), c.Float(0)}), c.Op("fmax", {c.Variable(), c.Float(0)})});
  EXPECT_TRUE(c.Last().number);
}

TEST(Facts, FloorIsIntegralAndFractIsBounded) {
  Builder b;
  b.Op("fadd", {b.Op("ffloor", {b.Variable()}), b.Float(2)});
  EXPECT_TRUE(b.Last().integral);
  Builder c;
  c.Op("ffract", {c.Variable()});
  const ir::ValueFacts facts = c.Last();
  EXPECT_EQ(facts.high, 1);
  EXPECT_FALSE(facts.number);  // the result for an infinity is a NaN
}

TEST(Facts, Booleans) {
  Builder b;
  const Lanes x = b.Variable();
  b.Op("b2f32", {b.Op("flt", {x, b.Variable()}, 1)});
  const ir::ValueFacts facts = b.Last();
  EXPECT_TRUE(facts.from_bool);
  EXPECT_TRUE(facts.zero_to_one());
  EXPECT_TRUE(facts.integral);
}

TEST(Facts, IntegerBounds) {
  Builder b;
  const Lanes byte = b.Op("iand", {b.Variable(), b.Constant(0xff)});
  b.Op("iadd", {b.Op("ishl", {byte, b.Constant(2)}), byte});
  const ir::ValueFacts facts = b.Last();
  EXPECT_EQ(facts.max_unsigned, 0xffu * 5);
  // A sum that may wrap around has no bound.
  Builder c;
  c.Op("iadd", {c.Op("iand", {c.Variable(), c.Constant(0xff)}), c.Variable()});
  EXPECT_EQ(c.Last().max_unsigned, 0xffffffffu);
}

TEST(Facts, FromIntegerAndBack) {
  Builder b;
  const Lanes half = b.Op("fmul", {b.Op("u2f32", {b.Op("iand", {b.Variable(), b.Constant(0xff)})}), b.Float(0.5)});
  b.Op("f2u32", {half});
  EXPECT_EQ(b.Last().max_unsigned, 127u);
  // The result for an out-of-range value is poison.
  Builder c;
  c.Op("f2u32", {c.Op("fabs", {c.Variable()})});
  EXPECT_EQ(c.Last().max_unsigned, 0xffffffffu);
}

TEST(Facts, UniformityFollowsOperands) {
  Builder b;
  b.Op("fadd", {b.Uniform(), b.Float(2)});
  EXPECT_TRUE(b.Last().uniform);
  Builder c;
  c.Op("fadd", {c.Uniform(), c.Variable()});
  EXPECT_FALSE(c.Last().uniform);
}

TEST(Facts, TextNamesWhatIsKnown) {
  Builder b;
  b.Op("fsat", {b.Uniform()});
  EXPECT_EQ(ir::FactsText(b.Last()), "number finite >=0 0..1 uniform");
  EXPECT_EQ(ir::FactsText(ir::ValueFacts()), "");
  const std::vector<ir::ValueFacts> made = ir::ParseFactsSummary("product;saturable number");
  ASSERT_EQ(made.size(), 2u);
  EXPECT_TRUE(made[0].product && !made[0].saturable && made[1].saturable && made[1].number);
  EXPECT_EQ(ir::FactsSummary(made), "product;number saturable");
  EXPECT_FALSE(ir::Join(made[0], made[1]).product);
}

// Checks every fact of random terms against every result that the contract allows, on random inputs and corner cases.
class RandomTerms {
 public:
  explicit RandomTerms(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  size_t Below(size_t bound) { return static_cast<size_t>(Next() % bound); }

  uint64_t Pattern(uint8_t bits) {
    static constexpr double kAwkward[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.25, 2.0, 255.0, 1e-30, -1e30, 3.7, -0.3};
    const ir::FloatFormat format = ir::FormatOf(bits);
    switch (Below(8)) {
      case 0:
        return format.infinity() | (Below(2) ? format.sign() : 0);
      case 1:
        return format.quiet_nan() | (Below(2) ? format.sign() : 0);
      case 2:
        return Below(2) ? 1 : format.sign() | 1;  // a denormal
      case 3:
        return format.smallest_normal() | (Below(2) ? format.sign() : 0);
      case 4:
        return (Next() << 32 ^ Next()) & ir::MaskOf(bits);
      case 5:
        return Below(300);
      default:
        return ir::FloatToBits(kAwkward[Below(std::size(kAwkward))], bits);
    }
  }

 private:
  uint64_t state_;
};

constexpr const char* kFloatUnary[] = {"fneg",   "fabs",        "fsat",  "fsign", "ffloor", "fceil", "ftrunc",
                                       "ffract", "fround_even", "fsqrt", "frsq",  "frcp",   "fexp2", "flog2"};
constexpr const char* kFloatBinary[] = {"fadd", "fsub", "fmul", "fmin", "fmax", "fadd", "fmul", "fdiv"};
constexpr const char* kIntegerBinary[] = {"iand", "ior",  "ixor", "ushr", "ishl", "ishr",      "iadd",
                                          "imul", "umin", "umax", "udiv", "umod", "extract_u8"};
constexpr const char* kConversions[] = {"u2f32", "i2f32", "f2u32", "f2i32", "inot", "bit_count"};

Lanes AddRandomOp(RandomTerms& random, Builder& b, const std::vector<Lanes>& values, uint8_t bits) {
  const auto any = [&] { return values[random.Below(values.size())]; };
  switch (random.Below(bits == 32 ? 6 : 3)) {
    case 0:
      return b.Op(kFloatUnary[random.Below(std::size(kFloatUnary))], {any()}, bits);
    case 1:
      return b.Op(kFloatBinary[random.Below(std::size(kFloatBinary))], {any(), any()}, bits);
    case 2: {
      if (random.Below(2)) return b.Op("ffma", {any(), any(), any()}, bits);
      const Lanes condition = b.Op("flt", {any(), any()}, 1);
      if (random.Below(2)) return b.Op("bcsel", {condition, any(), any()}, bits);
      return b.Op(bits == 16 ? "b2f16" : "b2f32", {condition}, bits);
    }
    case 3:
      return b.Op(kConversions[random.Below(std::size(kConversions))], {any()}, bits);
    default:
      return b.Op(kIntegerBinary[random.Below(std::size(kIntegerBinary))], {any(), any()}, bits);
  }
}

std::string Violation(const ir::ValueFacts& facts, const ir::AllowedComponent& allowed, uint8_t bits) {
  // Poison may be any value, and facts do not apply to it.
  if (allowed.kind == ir::AllowedKind::kAnyValue) return "";
  const bool nan = allowed.kind == ir::AllowedKind::kAnyNan || ir::IsNan(allowed.value, bits);
  if (nan) return facts.number ? "a NaN" : "";
  const double value = ir::BitsToFloat(allowed.value, bits);
  if (value < facts.low) return "below its bound";
  if (value > facts.high) return "above its bound";
  if (facts.nonzero && std::abs(value) < ir::BitsToFloat(ir::FormatOf(bits).smallest_normal(), bits)) return "a zero";
  if (facts.integral && std::isfinite(value) && value != std::floor(value)) return "not an integer";
  if (allowed.value & facts.known_zero) return "a bit set that is known to be clear";
  if (~allowed.value & facts.known_one) return "a bit clear that is known to be set";
  if (allowed.value > facts.max_unsigned) return "above its integer bound";
  if (facts.from_bool && value != 0 && value != 1 && allowed.value != 1) return "not a Boolean";
  return "";
}

// Returns the number of results that were checked against nontrivial facts.
int CheckOneTerm(uint64_t seed, uint8_t bits) {
  RandomTerms random(seed);
  Builder b;
  std::vector<Lanes> values = {b.Variable(bits), b.Variable(bits), b.Constant(random.Pattern(bits), bits),
                               b.Constant(random.Pattern(bits), bits)};
  const size_t ops = 1 + random.Below(4);
  for (size_t i = 0; i < ops; ++i) values.push_back(AddRandomOp(random, b, values, bits));
  const ir::NodeIndex root = values.back()[0].node;
  const ir::Shader shader = b.Take();
  const ir::ValueFacts facts = ShaderFacts(shader).at(root, 0);
  if (facts == ir::ValueFacts{.max_unsigned = ir::MaskOf(bits)}) return 0;
  ir::Term term = shader.values;
  term.root = root;
  ir::Dag dag;
  const auto lowered = ir::LowerWithChoices(&dag, term, ir::DenormMode::kAny, 0);
  if (!lowered.ok()) return 0;
  int checked = 0;
  for (int trial = 0; trial < 12; ++trial) {
    std::vector<uint64_t> inputs;
    for (const ir::Input& input : dag.inputs()) inputs.push_back(random.Pattern(bits) & ir::MaskOf(input.width));
    for (const ir::AllowedResult& result : ir::AllowedResults(dag, *lowered, inputs, 32).results) {
      ++checked;
      EXPECT_EQ(Violation(facts, result[0], bits), "")
          << "seed " << seed << " " << ir::FactsText(facts) << " value " << std::hex << result[0].value;
    }
  }
  return checked;
}

TEST(Facts, HoldOfEveryAllowedResult32) {
  int checked = 0;
  for (uint64_t seed = 1; seed < 6000 && !::testing::Test::HasFailure(); ++seed) checked += CheckOneTerm(seed, 32);
  EXPECT_GT(checked, 20000);
}

TEST(Facts, HoldOfEveryAllowedResult16) {
  int checked = 0;
  for (uint64_t seed = 1; seed < 4000 && !::testing::Test::HasFailure(); ++seed) checked += CheckOneTerm(seed, 16);
  EXPECT_GT(checked, 10000);
}

}  // namespace
}  // namespace rewrought::corpus
