#include "verifier/oracle/host_oracle.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text/rule_text.h"

namespace rewrought::verifier {
namespace {

OracleTally Compared(const std::string& search, const std::string& replace) {
  return CompareWithHost(*ir::ParseTerm(search), *ir::ParseTerm(replace), 5000);
}

// Each op of integers that is more than one of the host's own, said by others in two ways: one right, one wrong.
TEST(HostOracle, TellsRightFromWrongForEachOp) {
  const struct {
    const char *op, *right, *wrong;
  } rows[] = {
      {"('isign@32', 'a@32')", "('imin@32', ('imax@32', 'a@32', 0xffffffff@32), 0x00000001@32)",
       "('imin@32', ('imax@32', 'a@32', 0x00000000@32), 0x00000001@32)"},
      {"('umul_high@32', 'a@32', 0x00010000@32)", "('ushr@32', 'a@32', 0x00000010@32)",
       "('ishr@32', 'a@32', 0x00000010@32)"},
      {"('imul_high@32', 'a@32', 0x00010000@32)", "('ishr@32', 'a@32', 0x00000010@32)",
       "('ushr@32', 'a@32', 0x00000010@32)"},
      {"('uadd_carry@32', 'a@32', 'b@32')", "('b2i32@32', ('ult@1', ('iadd@32', 'a@32', 'b@32'), 'a'))",
       "('b2i32@32', ('ult@1', 'a@32', ('iadd@32', 'a', 'b@32')))"},
      {"('usub_borrow@32', 'a@32', 'b@32')", "('b2i32@32', ('ult@1', 'a@32', 'b@32'))",
       "('b2i32@32', ('ult@1', 'b@32', 'a@32'))"},
      {"('uadd_sat@32', 'a@32', 'b@32')", "('iadd@32', 'a@32', ('umin@32', ('inot@32', 'a'), 'b@32'))",
       "('iadd@32', 'a@32', 'b@32')"},
      {"('usub_sat@32', 'a@32', 'b@32')", "('isub@32', ('umax@32', 'a@32', 'b@32'), 'b')",
       "('isub@32', 'a@32', 'b@32')"},
      {"('extract_u8@32', 'a@32', 0x00000003@32)", "('ushr@32', 'a@32', 0x00000018@32)",
       "('ushr@32', 'a@32', 0x00000017@32)"},
      {"('extract_i8@32', 'a@32', 0x00000003@32)", "('ishr@32', 'a@32', 0x00000018@32)",
       "('ushr@32', 'a@32', 0x00000018@32)"},
      {"('extract_u16@32', 'a@32', 0x00000000@32)", "('iand@32', 'a@32', 0x0000ffff@32)",
       "('iand@32', 'a@32', 0x0000fffe@32)"},
      {"('extract_i16@32', 'a@32', 0x00000001@32)", "('ishr@32', 'a@32', 0x00000010@32)",
       "('ushr@32', 'a@32', 0x00000010@32)"},
  };
  for (const auto& row : rows) {
    const OracleTally right = Compared(row.op, row.right), wrong = Compared(row.op, row.wrong);
    EXPECT_TRUE(right.covered && wrong.covered) << row.op;
    EXPECT_GT(right.agreed, 0u) << row.op;
    EXPECT_EQ(right.disagreed, 0u) << row.op;
    EXPECT_GT(wrong.disagreed, 0u) << row.op;
  }
}

TEST(HostOracle, SaysNothingOfOpsThatItLacks) {
  EXPECT_FALSE(Compared("('bit_count@32', 'a@32')", "('bit_count@32', 'a@32')").covered);
}

}  // namespace
}  // namespace rewrought::verifier
