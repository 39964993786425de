#include "verifier/oracle/host_oracle.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/text/rule_text.h"

namespace rewrought::verifier {
namespace {

OracleTally Compared(const std::string& search, const std::string& replace) {
  return CompareWithHost(*ir::ParseTerm(search), *ir::ParseTerm(replace), 5000);
}

// Expresses each integer op that is not a single host operation in terms of other ops, once correctly and once
// incorrectly.
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
      {"('ubfe@32', 'a@32', 0x00000004@32, 0x00000008@32)",
       "('iand@32', ('ushr@32', 'a@32', 0x00000004@32), 0x000000ff@32)",
       "('iand@32', ('ushr@32', 'a@32', 0x00000004@32), 0x000001ff@32)"},
      // The field extends exactly to the top bit.
      {"('ubfe@32', 'a@32', 0x0000001c@32, 0x00000008@32)", "('ushr@32', 'a@32', 0x0000001c@32)",
       "('ishr@32', 'a@32', 0x0000001c@32)"},
      {"('ibfe@32', 'a@32', 0x0000001c@32, 0x00000008@32)", "('ishr@32', 'a@32', 0x0000001c@32)",
       "('ushr@32', 'a@32', 0x0000001c@32)"},
      {"('ibfe@32', 'a@32', 0x00000000@32, 'b@32')",
       "('bcsel@32', ('ieq@1', ('iand@32', 'b@32', 0x0000001f@32), 0x00000000@32), 0x00000000@32, ('ishr@32', "
       "('ishl@32', 'a@32', ('ineg@32', 'b')), ('ineg@32', 'b')))",
       "('ishr@32', ('ishl@32', 'a@32', ('ineg@32', 'b@32')), ('ineg@32', 'b'))"},
      {"('bfm@32', 'a@32', 'b@32')",
       "('ishl@32', ('iadd@32', ('ishl@32', 0x00000001@32, 'a@32'), 0xffffffff@32), 'b@32')",
       "('ishl@32', ('ishl@32', 0x00000001@32, 'a@32'), 'b@32')"},
      {"('bfi@32', 0x000000f0@32, 'b@32', 'c@32')",
       "('ior@32', ('iand@32', ('ishl@32', 'b@32', 0x00000004@32), 0x000000f0@32), ('iand@32', 'c@32', 0xffffff0f@32))",
       "('ior@32', ('iand@32', 'b@32', 0x000000f0@32), ('iand@32', 'c@32', 0xffffff0f@32))"},
      {"('bitfield_select@32', 'a@32', 'b@32', 'c@32')",
       "('ixor@32', ('iand@32', 'a@32', ('ixor@32', 'b@32', 'c@32')), 'c')",
       "('ixor@32', ('iand@32', 'a@32', ('ixor@32', 'b@32', 'c@32')), 'b')"},
      {"('bit_count@32', 'a@32')",
       "('iadd@32', ('bit_count@32', ('iand@32', 'a@32', 0x0000ffff@32)), ('bit_count@32', ('ushr@32', 'a', "
       "0x00000010@32)))",
       "('bit_count@32', ('iand@32', 'a@32', 0x0000ffff@32))"},
      {"('find_lsb@32', 'a@32')", "('ufind_msb@32', ('iand@32', 'a@32', ('ineg@32', 'a')))",
       "('ufind_msb@32', 'a@32')"},
  };
  for (const auto& row : rows) {
    const OracleTally right = Compared(row.op, row.right), wrong = Compared(row.op, row.wrong);
    EXPECT_TRUE(right.covered && wrong.covered) << row.op;
    EXPECT_GT(right.agreed, 0u) << row.op;
    EXPECT_EQ(right.disagreed, 0u) << row.op;
    EXPECT_GT(wrong.disagreed, 0u) << row.op;
  }
}

// A select preserves a NaN's bits, but arithmetic below it may return any NaN.
TEST(HostOracle, ArithmeticBelowASelectionGivesAnyNan) {
  const char* const select =
      "('bcsel@32', ('fge@1', 'a@32', 0x00000000@32), ('fadd@32', 0x3f800000@32, 'a'), ('fadd@32', ('fneg@32', 'a'), "
      "0x3f800000@32))";
  const OracleTally right = Compared(select, "('fadd@32', 0x3f800000@32, ('fabs@32', 'a@32'))");
  EXPECT_EQ(right.agreed, 5000u);
  EXPECT_EQ(right.disagreed, 0u);
  EXPECT_GT(Compared(select, "('fadd@32', 0x3f800000@32, 'a@32')").disagreed, 0u);
  // A select preserves an operand's own NaN. A multiplication by 1 changes only the bits of a NaN, and the oracle must
  // detect this.
  EXPECT_GT(Compared("('bcsel@32', 'b@1', 'a@32', 'a')", "('fmul@32', 'a@32', 0x3f800000@32)").disagreed, 0u);
}

// Most integral float patterns are too large to be converted.
TEST(HostOracle, ConvertsEnoughWholeNumbers) {
  const std::string whole = "('ieq@1', ('f2i32@32', 'a@32(is_integral)'), 0x00000001@32)";
  const OracleTally right = Compared(whole, "('feq@1', 'a@32', 0x3f800000@32)");
  EXPECT_EQ(right.agreed, 5000u);
  EXPECT_EQ(right.disagreed, 0u);
  EXPECT_GT(Compared(whole, "('feq@1', 'a@32', 0xbf800000@32)").disagreed, 0u);
}

TEST(HostOracle, SaysNothingOfOpsThatItLacks) {
  EXPECT_FALSE(Compared("('uclz@32', 'a@32')", "('uclz@32', 'a@32')").covered);
}

}  // namespace
}  // namespace rewrought::verifier
