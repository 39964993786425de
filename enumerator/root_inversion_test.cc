#include "enumerator/root_inversion.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "enumerator/lanes/tape.h"
#include "enumerator/lanes/vector_blocks.h"
#include "gtest/gtest.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

LaneBlock ValueOf(const ir::Term& term, const std::string& variable, const LaneBlock& lanes) {
  const absl::StatusOr<Tape> tape = CompileTerm(term, {variable});
  EXPECT_TRUE(tape.ok()) << tape.status();
  const LaneBlock* inputs[] = {&lanes};
  TapeScratch scratch;
  LaneBlock value;
  tape->Run(Kernels(), inputs, &value, &scratch);
  return value;
}

const LaneBlock& AllKinds() { return InputLanes(ValueSet::kInteger32, 0, BlockKind::kOrdinary); }

constexpr uint32_t kConstants[] = {1, 3, 29, 7, 31, 0x80000000, 0xffff0000};

// The op computes the goal for all values of the irrelevant bits, but not if a relevant bit changes.
TEST(InvertRootTest, OnlyRelevantBitsAffectTheGoal) {
  std::set<std::string> ops;
  for (const char* made : {"('ishl@32', 'a@32', 0x00000003@32)", "('ushr@32', 'a@32', 0x00000003@32)",
                           "('ishr@32', 'a@32', 0x00000003@32)", "('iand@32', 'a@32', 0x00000007@32)",
                           "('ior@32', 'a@32', 0xffff0000@32)", "('imul@32', 'a@32', 'a')"}) {
    const LaneBlock goal = ValueOf(*ir::ParseTerm(made), "a", AllKinds());
    for (const InvertedRoot& inverted : InvertRoot(goal, kConstants)) {
      const std::string text = ir::PrintTerm(inverted.root);
      ops.insert(inverted.root.root_node().op->name);
      LaneBlock filled = inverted.value, changed = inverted.value;
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t mask = inverted.mask.lane[lane];
        EXPECT_EQ(inverted.value.lane[lane] & ~mask, 0u) << text;
        filled.lane[lane] |= AllKinds().lane[(lane + 7) % kLanes] & ~mask;
        changed.lane[lane] ^= mask & (0 - mask);
      }
      const LaneBlock same = ValueOf(inverted.root, std::string(kBeforeRoot), filled);
      const LaneBlock other = ValueOf(inverted.root, std::string(kBeforeRoot), changed);
      for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(same.lane[lane], goal.lane[lane]) << made << " by " << text;
        EXPECT_NE(other.lane[lane], goal.lane[lane]) << made << " by " << text;
      }
    }
  }
  EXPECT_EQ(ops, (std::set<std::string>{"iadd", "iand", "ineg", "inot", "ior", "ishl", "ishr", "isub", "ushr"}));
}

TEST(InvertRootTest, WhatAnOpNeverGivesHasNoOperand) {
  const auto shifts_and_masks = [](const LaneBlock& goal) {
    std::set<std::string> ops;
    for (const InvertedRoot& inverted : InvertRoot(goal, {{3}})) {
      if (inverted.mask.lane[0] != ~uint32_t{0}) ops.insert(inverted.root.root_node().op->name);
    }
    return ops;
  };
  EXPECT_EQ(shifts_and_masks(AllKinds()), std::set<std::string>{});
  EXPECT_EQ(shifts_and_masks(ValueOf(*ir::ParseTerm("('iand@32', 'a@32', 0x00000003@32)"), "a", AllKinds())),
            (std::set<std::string>{"iand", "ishr", "ushr"}));
  // Shift amounts of 0 and of the register's width are excluded.
  LaneBlock zero = {};
  for (const InvertedRoot& inverted : InvertRoot(zero, {{0, 32}}))
    EXPECT_EQ(ir::PrintTerm(inverted.root).find("sh"), std::string::npos) << ir::PrintTerm(inverted.root);
}

}  // namespace
}  // namespace rewrought::enumerator
