// Checks that the domains agree: on random inputs, the batch evaluator must return the same values as the scalar
// evaluator, lane by lane, for every op and every primitive. Also checks that the result of random choices is an
// allowed result, and tests how the scalar domain rounds.
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "ir/batch.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

Term TermOf(const OpRow& row, int size) {
  Term term;
  Node node;
  node.kind = NodeKind::kOp;
  node.op = &row;
  node.bits = static_cast<uint8_t>(row.result.bits ? row.result.bits : size);
  node.components = std::max<uint8_t>(1, row.result.components);
  for (size_t k = 0; k < row.sources.size(); ++k) {
    Node variable;
    variable.name = std::string(1, static_cast<char>('a' + k));
    variable.bits = static_cast<uint8_t>(row.sources[k].bits ? row.sources[k].bits : size);
    variable.components = std::max<uint8_t>(1, row.sources[k].components);
    term.nodes.push_back(variable);
    node.sources.push_back({static_cast<NodeIndex>(k), kIdentitySwizzle});
  }
  term.nodes.push_back(node);
  term.root = static_cast<NodeIndex>(term.nodes.size() - 1);
  return term;
}

uint64_t DrawValue(std::mt19937_64& random, int width) {
  const uint64_t value = random();
  // Half of the values are likely corner cases: few bits set, or a minimal or maximal exponent.
  switch (random() % 4) {
    case 0:
      return (value & (value >> 7) & (value >> 13) & 0x8000000000000007) & MaskOf(width);
    case 1:
      return IsFloatWidth(width) ? (FormatOf(width).infinity() | (value & 0x8001)) & MaskOf(width)
                                 : value & MaskOf(width);
    default:
      return value & MaskOf(width);
  }
}

TEST(Domains, EveryRowBuildsAtEverySizeItAllows) {
  ASSERT_GT(AllOps().size(), 200u);
  for (const OpRow* row : AllOps()) EXPECT_TRUE(CheckRow(*row).ok()) << CheckRow(*row).message();
}

TEST(Domains, BatchAgreesWithScalarOnEveryOp) {
  std::mt19937_64 random(1);
  constexpr size_t kLanes = 300;
  for (const OpRow* row : AllOps()) {
    for (int size : FreeSizesOf(*row)) {
      for (DenormMode mode : {DenormMode::kAny, DenormMode::kPreserve, DenormMode::kFlush}) {
        Dag dag;
        const Term op = TermOf(*row, size);
        const absl::StatusOr<ChoiceTerm> term = LowerWithChoices(&dag, op, mode, 0);
        ASSERT_TRUE(term.ok()) << row->name << ": " << term.status().message();
        BatchLeaves leaves;
        const size_t lanes = (row->properties & kApproximate) ? 20 : kLanes;
        leaves.inputs.resize(dag.inputs().size());
        for (size_t i = 0; i < dag.inputs().size(); ++i) {
          for (size_t l = 0; l < lanes; ++l) leaves.inputs[i].push_back(DrawValue(random, dag.inputs()[i].width));
        }
        leaves.choices.resize(term->choices.size());
        for (size_t i = 0; i < term->choices.size(); ++i) {
          for (size_t l = 0; l < lanes; ++l) leaves.choices[i].push_back(DrawValue(random, term->choices[i].width));
        }
        const auto batch = EvaluateBatch(dag, term->lowered.root, leaves, lanes);
        Evaluator evaluator(&dag);
        for (size_t l = 0; l < lanes; ++l) {
          std::vector<uint64_t> inputs;
          for (const auto& input : leaves.inputs) inputs.push_back(input[l]);
          evaluator.Start(inputs, [&](uint32_t choice) { return leaves.choices[choice][l]; });
          for (size_t c = 0; c < term->lowered.root.size(); ++c) {
            ASSERT_EQ(batch[c][l], evaluator.Evaluate(term->lowered.root[c]))
                << row->name << "@" << size << " lane " << l;
          }
        }
      }
    }
  }
}

TEST(Domains, LanesOfEveryPrimitiveAreTheScalarOnes) {
  std::mt19937_64 random(3);
  constexpr size_t kLanes = 300;
  for (int p = 0; p < kPrimitiveCount; ++p) {
    const PrimitiveInfo& info = InfoOf(static_cast<Primitive>(p));
    if (info.width_rule == WidthRule::kLeaf || info.primitive == Primitive::kApprox) continue;
    for (const int size : {1, 8, 16, 32, 64}) {
      if (info.is_float && size < 16) continue;
      int width = size;
      uint64_t immediate = 0;
      if (info.width_rule == WidthRule::kTruth || info.width_rule == WidthRule::kWrittenTruth) width = 1;
      if (info.width_rule == WidthRule::kWrittenTruth) immediate = 32;
      if (info.width_rule == WidthRule::kWritten && !info.is_float) width = 64;
      if (info.width_rule == WidthRule::kExtract)
        width = (size + 1) / 2, immediate = static_cast<uint64_t>(size - width);
      if (info.width_rule == WidthRule::kConcat) width = std::min(64, 2 * size);
      const int operand = info.width_rule == WidthRule::kConcat ? width / 2 : size;
      std::vector<uint64_t> x, y, z, lanes(kLanes);
      for (size_t l = 0; l < kLanes; ++l) {
        x.push_back(DrawValue(random, info.width_rule == WidthRule::kIte ? 1 : operand));
        y.push_back(l % 3 == 0 ? l % 70 & MaskOf(operand) : DrawValue(random, operand));  // also draws shift counts
        z.push_back(DrawValue(random, operand));
      }
      EvaluateLanes(info.primitive, width, operand, immediate, kLanes, x.data(), y.data(), z.data(), lanes.data());
      for (size_t l = 0; l < kLanes; ++l) {
        ASSERT_EQ(lanes[l], EvaluatePrimitive(info.primitive, width, operand, immediate, x[l], y[l], z[l]))
            << info.name << " of " << operand << " bits, lane " << l;
      }
    }
  }
}

TEST(Domains, AResultUnderAnyChoicesIsAllowed) {
  std::mt19937_64 random(2);
  int members = 0;
  for (const OpRow* row : AllOps()) {
    if (row->properties & kApproximate) continue;
    for (int size : FreeSizesOf(*row)) {
      Dag dag;
      const absl::StatusOr<ChoiceTerm> term = LowerWithChoices(&dag, TermOf(*row, size), DenormMode::kAny, 0);
      ASSERT_TRUE(term.ok());
      Evaluator evaluator(&dag);
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<uint64_t> inputs, choices, target;
        for (const Input& input : dag.inputs()) inputs.push_back(DrawValue(random, input.width));
        for (const Choice& choice : term->choices) choices.push_back(DrawValue(random, choice.width));
        evaluator.Start(inputs, [&](uint32_t choice) { return choices[choice]; });
        for (ValueIndex root : term->lowered.root) target.push_back(evaluator.Evaluate(root));
        const MembershipResult result = IsAllowed(dag, *term, inputs, target, choices);
        EXPECT_EQ(result.membership, Membership::kMember) << row->name << "@" << size;
        // The returned choices must produce the target.
        evaluator.Start(inputs, [&](uint32_t choice) { return result.choices[choice]; });
        for (size_t c = 0; c < target.size(); ++c)
          EXPECT_EQ(evaluator.Evaluate(term->lowered.root[c]), target[c]) << row->name;
        ++members;
      }
    }
  }
  EXPECT_GT(members, 5000);
}

TEST(Scalar, HalfArithmeticRoundsOnce) {
  // Computing in f32 and rounding the result again to half would be wrong here (double rounding).
  int differs = 0;
  std::mt19937 random(3);
  for (int i = 0; i < 2000000; ++i) {
    const uint64_t x = random() & 0x7bff, y = random() & 0x7bff, z = random() & 0xfbff;
    const uint64_t once = EvaluatePrimitive(Primitive::kFfma, 16, 16, 0, x, y, z);
    const float twice = __builtin_fmaf(static_cast<float>(BitsToFloat(x, 16)), static_cast<float>(BitsToFloat(y, 16)),
                                       static_cast<float>(BitsToFloat(z, 16)));
    differs += once != FloatToBits(twice, 16);
  }
  EXPECT_GT(differs, 0);
  EXPECT_LT(differs, 2000);
}

TEST(Scalar, ContractionIsOff) {
  // Rounding a*b+c once differs from rounding it twice. A build without -ffp-contract=off fails this test if the target
  // has fma.
  volatile double a = 1.0 + 0x1p-30, b = 1.0 - 0x1p-30, c = -1.0;
  EXPECT_EQ(a * b + c, 0.0);
  Dag dag;
  EXPECT_EQ(EvaluatePrimitive(Primitive::kFfma, 64, 64, 0, FloatToBits(a, 64), FloatToBits(b, 64), FloatToBits(c, 64)),
            FloatToBits(-0x1p-60, 64));
}

TEST(Scalar, TinyMeansRoundedUpToTheSmallestNormal) {
  const FloatFormat f = FormatOf(32);
  const uint64_t below_one = f.one() - 1;  // 1 - 2^-24
  EXPECT_EQ(EvaluatePrimitive(Primitive::kFmul, 32, 32, 0, f.smallest_normal(), below_one, 0), f.smallest_normal());
  EXPECT_EQ(EvaluatePrimitive(Primitive::kFmulTiny, 1, 32, 0, f.smallest_normal(), below_one, 0), 1u);
  EXPECT_EQ(EvaluatePrimitive(Primitive::kFmulTiny, 1, 32, 0, f.smallest_normal(), f.one(), 0), 0u);
  EXPECT_EQ(EvaluatePrimitive(Primitive::kFfmaTiny, 1, 32, 0, f.smallest_normal(), below_one, 0), 1u);
  EXPECT_EQ(
      EvaluatePrimitive(Primitive::kFdivTiny, 1, 32, 0, f.smallest_normal() - 1, f.one() + f.smallest_normal() * 0, 0),
      0u);
}

}  // namespace
}  // namespace rewrought::ir
