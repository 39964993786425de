#include "enumerator/lanes/kernels.h"

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "gtest/gtest.h"
#include "ir/op_table.h"
#include "ir/scalar.h"

namespace rewrought::enumerator {
namespace {

using ir::Primitive;

// Returns random patterns and patterns that are difficult for float and integer code.
LaneBlock Patterns(int width, int salt) {
  static const uint32_t kSpecial[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                      0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
                                      0x3f800000, 0xbf800000, 0x4f000000, 0x3effffff, 31,         32};
  std::mt19937 random(salt);
  LaneBlock block;
  for (int i = 0; i < kLanes; ++i) {
    const uint32_t pattern = random() % 3 != 0 ? kSpecial[random() % std::size(kSpecial)] : random();
    block.lane[i] = pattern & static_cast<uint32_t>(ir::MaskOf(width));
  }
  return block;
}

void ExpectKernel(const KernelSet& set, Primitive primitive, const KernelWidths& widths, int x_width, int z_width) {
  const Kernel kernel = set.primitives[static_cast<int>(primitive)];
  for (int round = 0; round < 40; ++round) {
    const LaneBlock x = Patterns(x_width, round * 3);
    const LaneBlock y = round % 5 == 0 ? x : Patterns(z_width, round * 3 + 1);
    const LaneBlock z = Patterns(z_width, round * 3 + 2);
    LaneBlock out;
    kernel(widths, x, y, z, &out);
    for (int i = 0; i < kLanes; ++i) {
      ASSERT_EQ(out.lane[i], ir::EvaluatePrimitive(primitive, widths.width, widths.operand_width, widths.immediate,
                                                   x.lane[i], y.lane[i], z.lane[i]))
          << set.name << " " << ir::InfoOf(primitive).name << " width " << widths.width << " of "
          << widths.operand_width << std::hex << ": " << x.lane[i] << " " << y.lane[i] << " " << z.lane[i];
    }
  }
}

TEST(KernelsTest, EveryKernelIsThePrimitive) {
  int count = 0, checked = 0;
  const KernelSet* const* sets = AvailableKernelSets(&count);
  for (int s = 0; s < count; ++s) {
    for (int p = 0; p < ir::kPrimitiveCount; ++p) {
      const auto primitive = static_cast<Primitive>(p);
      if (sets[s]->primitives[p] == nullptr) continue;
      const ir::PrimitiveInfo& info = ir::InfoOf(primitive);
      for (const int width : {1, 8, 16, 32}) {
        KernelWidths widths{width, width, 0};
        int x_width = width, other = width;
        if (info.is_float && width != 32) continue;
        if (info.width_rule == ir::WidthRule::kTruth) widths.width = 1;
        if (info.width_rule == ir::WidthRule::kIte) x_width = 1;
        if (info.width_rule == ir::WidthRule::kWritten) widths.width = 32;
        if (primitive == Primitive::kExtract) {
          if (width == 1) continue;
          widths.width = width / 2, widths.immediate = width / 2;
        }
        if (primitive == Primitive::kConcat) {
          if (width == 32) continue;
          widths.width = 2 * width;
        }
        if (primitive == Primitive::kF2f || !sets[s]->covers(primitive, widths.width, widths.operand_width)) continue;
        ExpectKernel(*sets[s], primitive, widths, x_width, other);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 100 * count);
}

TEST(KernelsTest, RowsThatFuseComputeWhatTheirPrimitivesDo) {
  // CompileRow fuses each of these meanings into a single step. The reference results are computed by evaluating each
  // Dag lane by lane.
  const char* meanings[] = {"(ite (or (isnan b) (flt a b)) a b)", "(ite (or (isnan b) (fle b a)) a b)",
                            "(fmin (fmax a (f 0.0)) (f 1.0))"};
  static std::vector<ir::OpRow> rows(3);
  for (int m = 0; m < 3; ++m) {
    rows[m].name = absl::StrCat("shape", m);
    rows[m].result = {ir::BaseType::kFloat, 32, 0};
    rows[m].sources.assign(m == 2 ? 1 : 2, rows[m].result);
    rows[m].meaning = meanings[m];
    absl::StatusOr<Tape> tape = CompileRow(rows[m], 0);
    ASSERT_TRUE(tape.ok()) << tape.status();
    EXPECT_EQ(tape->steps(), 1u);  // Fused into a single step.
    int count = 0;
    const KernelSet* const* sets = AvailableKernelSets(&count);
    for (int s = 0; s < count; ++s) {
      for (int round = 0; round < 40; ++round) {
        const LaneBlock x = Patterns(32, round), y = Patterns(32, round + 1000);
        const LaneBlock* inputs[] = {&x, &y};
        LaneBlock out;
        TapeScratch scratch;
        tape->Run(*sets[s], inputs, &out, &scratch);
        for (int i = 0; i < kLanes; ++i) {
          const auto p = [&](Primitive op, int width, uint64_t a, uint64_t b) {
            return ir::EvaluatePrimitive(op, width, 32, 0, a, b, 0);
          };
          const uint64_t a = x.lane[i], b = y.lane[i];
          uint64_t expected = p(Primitive::kFmin, 32, p(Primitive::kFmax, 32, a, 0), 0x3f800000);
          if (m == 0) expected = p(Primitive::kIsnan, 1, b, 0) || p(Primitive::kFlt, 1, a, b) ? a : b;
          if (m == 1) expected = p(Primitive::kIsnan, 1, b, 0) || p(Primitive::kFle, 1, b, a) ? a : b;
          ASSERT_EQ(out.lane[i], expected) << sets[s]->name << " " << meanings[m] << std::hex << " " << a << " " << b;
        }
      }
    }
  }
}

TEST(KernelsTest, RowsWithValuesOf64BitsComputeThem) {
  static std::vector<ir::OpRow> rows(2);
  const char* meanings[] = {"(trunc 32 (lshr (concat b a) (zext 64 (and c 127))))",
                            "(trunc 32 (lshr (add (mul (sext 64 a) (sext 64 b)) (sext 64 c)) 16))"};
  for (int m = 0; m < 2; ++m) {
    rows[m].name = absl::StrCat("wide", m);
    rows[m].result = {ir::BaseType::kUint, 32, 0};
    rows[m].sources.assign(3, rows[m].result);
    rows[m].meaning = meanings[m];
    absl::StatusOr<Tape> tape = CompileRow(rows[m], 0);
    ASSERT_TRUE(tape.ok()) << tape.status();
    TapeScratch scratch;
    for (int round = 0; round < 40; ++round) {
      const LaneBlock x = Patterns(32, round), y = Patterns(32, round + 1000), z = Patterns(32, round + 2000);
      const LaneBlock* inputs[] = {&x, &y, &z};
      LaneBlock out;
      tape->Run(Kernels(), inputs, &out, &scratch);
      for (int i = 0; i < kLanes; ++i) {
        const auto wide = [](uint32_t lane) { return static_cast<uint64_t>(int64_t{static_cast<int32_t>(lane)}); };
        const uint64_t both = uint64_t{y.lane[i]} << 32 | x.lane[i], count = z.lane[i] & 127;
        const uint64_t expected =
            m == 0 ? (count < 64 ? both >> count : 0) : (wide(x.lane[i]) * wide(y.lane[i]) + wide(z.lane[i])) >> 16;
        ASSERT_EQ(out.lane[i], static_cast<uint32_t>(expected)) << meanings[m];
      }
    }
  }
}

TEST(KernelsTest, HashesSeeEveryLaneAndAgreeBetweenSets) {
  int count = 0;
  const KernelSet* const* sets = AvailableKernelSets(&count);
  const LaneBlock block = Patterns(32, 7);
  for (int s = 0; s < count; ++s) {
    EXPECT_EQ(sets[s]->hash(block, true, kLanes), sets[0]->hash(block, true, kLanes));
    EXPECT_EQ(sets[s]->hash(block, false, kLanes), sets[0]->hash(block, false, kLanes));
    for (int i = 0; i < kLanes; ++i) {
      LaneBlock other = block;
      other.lane[i] ^= 0x00400001u;
      EXPECT_NE(sets[s]->hash(other, false, kLanes), sets[s]->hash(block, false, kLanes)) << i;
    }
    LaneBlock one = block, two = block;
    one.lane[5] = 0x7fc00000u, two.lane[5] = 0xff800001u;  // NaNs.
    one.lane[6] = 0, two.lane[6] = 0x80000000u;
    EXPECT_EQ(sets[s]->hash(one, true, kLanes), sets[s]->hash(two, true, kLanes));
    EXPECT_NE(sets[s]->hash(one, false, kLanes), sets[s]->hash(two, false, kLanes));
  }
}

TEST(KernelsTest, PseudoApproximationsAreFunctionsWithTheirSymmetry) {
  EXPECT_EQ(PseudoApproximation(ir::Approximation::kRcp, 32, 0xc0000000u, 0),
            PseudoApproximation(ir::Approximation::kRcp, 32, 0x40000000u, 0) ^ 0x80000000u);
  EXPECT_EQ(PseudoApproximation(ir::Approximation::kCos, 32, 0xc0000000u, 0),
            PseudoApproximation(ir::Approximation::kCos, 32, 0x40000000u, 0));
  EXPECT_NE(PseudoApproximation(ir::Approximation::kExp2, 32, 0xc0000000u, 0),
            PseudoApproximation(ir::Approximation::kExp2, 32, 0x40000000u, 0));
  EXPECT_NE(PseudoApproximation(ir::Approximation::kPow, 32, 0x40000000u, 0x3f800000u),
            PseudoApproximation(ir::Approximation::kPow, 32, 0x40000000u, 0x40000000u));
}

TEST(VectorBlocksTest, OrdinaryFloatsAreOrdinaryAndSomeLanesAreEqual) {
  for (int slot = 0; slot < kMaxInputs; ++slot) {
    const LaneBlock& ordinary = InputLanes(ValueSet::kFloat32, slot, BlockKind::kOrdinary);
    int zeros = 0;
    for (int i = 0; i < kLanes; ++i) {
      const double magnitude = std::abs(ir::BitsToFloat(ordinary.lane[i], 32));
      if (i >= kFloatLanes && magnitude == 0) ++zeros;
      EXPECT_TRUE((magnitude >= 0.1 && magnitude <= 8) || (i >= kFloatLanes && magnitude == 0)) << i;
    }
    EXPECT_TRUE(zeros > 2 && zeros < 14) << zeros;
    for (const int equal : {kFloatLanes - 1, kLanes - 1})
      EXPECT_EQ(ordinary.lane[equal], InputLanes(ValueSet::kFloat32, 0, BlockKind::kOrdinary).lane[equal]);
    int nans = 0;
    for (const uint32_t lane : InputLanes(ValueSet::kFloat32, slot, BlockKind::kNan).lane) nans += ir::IsNan(lane, 32);
    EXPECT_GT(nans, 10);
    for (const uint32_t lane : InputLanes(ValueSet::kFloat32ZeroToOne, slot, BlockKind::kMixed).lane) {
      const double value = ir::BitsToFloat(lane, 32);
      EXPECT_TRUE(value >= 0 && value <= 1) << value;
    }
  }
}

}  // namespace
}  // namespace rewrought::enumerator
