#include "ir/fold.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text/rule_text.h"

namespace rewrought::ir {
namespace {

std::string Folded(const std::string& text) {
  const absl::StatusOr<Term> term = ParseTerm(text);
  EXPECT_TRUE(term.ok()) << text << ": " << term.status();
  return PrintTerm(FoldConstants(*term));
}

TEST(FoldConstants, FoldsOpsOnLiteralsAtTheirSize) {
  EXPECT_EQ(Folded("('fmul@32', 'a@32', ('fadd@32', 0x3f800000@32, 0x40000000@32))"),
            "('fmul@32', 'a@32', 0x40400000@32)");
  // Each op rounds once: 1 + 2^-24 is 1 at 32 bits.
  EXPECT_EQ(Folded("('fadd@32', 0x3f800000@32, 0x33800000@32)"), "0x3f800000@32");
  EXPECT_EQ(Folded("('fmul@16', 0x3c00@16, ('frcp@16', 0x4000@16))"), "0x3800@16");
  EXPECT_EQ(Folded("('iadd@8', 0xff@8, 0x02@8)"), "0x01@8");
  EXPECT_EQ(Folded("('bcsel@32', ('flt@1', 0x00000000@32, 0x3f800000@32), 'a@32', 'b@32')"),
            "('bcsel@32', 0x1@1, 'a@32', 'b@32')");
}

// A float literal in a rule contains the bits of a double, not a pattern of the op's size.
TEST(FoldConstants, ReadsLiteralsAsTheyAreWritten) {
  EXPECT_EQ(Folded("('fneg@16', 2.0@16)"), "0xc000@16");
  EXPECT_EQ(Folded("('iadd@32', -1@32, 3@32)"), "0x00000002@32");
}

TEST(FoldConstants, LeavesWhatHasVariables) {
  const std::string text = "('fadd@32', 'a@32', ('fmul@32', 'b@32', 0x40000000@32))";
  EXPECT_EQ(Folded(text), text);
}

TEST(FoldConstants, ANanIsCanonical) {
  EXPECT_EQ(Folded("('fmul@32', 0x7f800000@32, 0x00000000@32)"), "0x7fc00000@32");
}

}  // namespace
}  // namespace rewrought::ir
