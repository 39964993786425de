#include "enumerator/lanes/vector_blocks.h"

#include "gtest/gtest.h"

namespace rewrought::enumerator {
namespace {

// The upper bits of `a >> a` and of `a >> 31` differ only if a's last five bits are a small shift amount. Banks once
// treated `a >> a` and `a >> 31` as equal.
TEST(VectorBlocksTest, ANumberShiftedByItselfIsNotItsSign) {
  for (int slot = 0; slot < kMaxInputs; ++slot) {
    const LaneBlock& lanes = InputLanes(ValueSet::kInteger32, slot, BlockKind::kOrdinary);
    int told = 0;
    for (const uint32_t value : lanes.lane) {
      const int32_t number = static_cast<int32_t>(value);
      if (number >> (value & 31) >> 28 != number >> 31 >> 28) ++told;
    }
    EXPECT_GE(told, 6) << "input " << slot;
  }
}

}  // namespace
}  // namespace rewrought::enumerator
