#include "emitter/c/immediate_sets.h"

#include <gtest/gtest.h>

#include "ir/scalar.h"

namespace rewrought::emitter {
namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

Ranges OfSet(const v1::ImmediateSet& set, int width) {
  machine::OperandRule rule;
  rule.immediate = v1::Immediate::SET, rule.set = &set;
  return RangesOf(**machine::FindMachine("intel_gen9"), rule, width, width);
}

Ranges OfField(v1::Immediate::Encoding field, int type_bits, int width) {
  machine::OperandRule rule;
  rule.immediate = field;
  return RangesOf(**machine::FindMachine("intel_gen9"), rule, type_bits, width);
}

TEST(ImmediateSets, NumbersBelowZeroStandAtTheEnd) {
  v1::ImmediateSet set;
  v1::ImmediateSet::Range* range = set.add_ranges();
  range->set_from(-16), range->set_to(64);
  EXPECT_EQ(OfSet(set, 32), (Ranges{{0, 64}, {0xfffffff0, 0xffffffff}}));
  EXPECT_EQ(OfSet(set, 64), (Ranges{{0, 64}, {~uint64_t{15}, ~uint64_t{0}}}));
  range->set_to(-3);
  EXPECT_EQ(OfSet(set, 16), (Ranges{{0xfff0, 0xfffd}}));
  range->set_from(-1000), range->set_to(1000);
  EXPECT_EQ(OfSet(set, 8), (Ranges{{0, 0xff}}));
}

TEST(ImmediateSets, PatternsAndFloatsAreOnesOfTheirWidth) {
  v1::ImmediateSet set;
  set.add_patterns(5), set.add_patterns(6), set.add_patterns(0x12345);
  set.add_floats(1.0);
  EXPECT_EQ(OfSet(set, 32), (Ranges{{5, 6}, {0x12345, 0x12345}, {0x3f800000, 0x3f800000}}));
  EXPECT_EQ(OfSet(set, 16), (Ranges{{5, 6}, {0x3c00, 0x3c00}}));
  set.set_signs(true);
  EXPECT_EQ(OfSet(set, 16), (Ranges{{5, 6}, {0x3c00, 0x3c00}, {0xbc00, 0xbc00}}));
}

TEST(ImmediateSets, FieldsHaveTheirOwn) {
  EXPECT_EQ(OfField(v1::Immediate::UINT8, 32, 32), (Ranges{{0, 0xff}}));
  EXPECT_EQ(OfField(v1::Immediate::UINT16, 32, 8), (Ranges{{0, 0xff}}));
  // The 256 bit patterns include +0 and cover all exponents from 2^-7 to 31.
  const Ranges floats = OfField(v1::Immediate::MINIFLOAT8, 32, 32);
  const auto holds = [&](double value) {
    const uint64_t bits = ir::FloatToBits(value, 32);
    for (const auto& [from, to] : floats) {
      if (from <= bits && bits <= to) return true;
    }
    return false;
  };
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, 31.0, -31.0, 1.0 / 64}) EXPECT_TRUE(holds(value)) << value;
  for (const double value : {32.0, 0.001, 1.03}) EXPECT_FALSE(holds(value)) << value;
  EXPECT_TRUE(OfField(v1::Immediate::MINIFLOAT8, 32, 16).empty()) << "at the size of its type alone";
}

}  // namespace
}  // namespace rewrought::emitter
