// Checks the text of copies, and that it is parsed strictly.
#include "verifier/message/copy_text.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

TEST(CopyText, CopiesRoundTrip) {
  const SearchCopyText copy{{1, false, true}, {{"n2.0:3#1", 0x7e00}, {"n1.0:4poison#2", 0}}};
  EXPECT_EQ(FormatCopy(copy), "otherwise=1 merged n1.0:4poison#2=0x0 n2.0:3#1=0x7e00");
  const absl::StatusOr<SearchCopyText> parsed = ParseCopy(FormatCopy(copy));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->literals, copy.literals);
  EXPECT_TRUE(parsed->policy.merged && !parsed->policy.guided && parsed->policy.otherwise == 1);
  for (const char* bad :
       {"", "guided", "otherwise=0 guided guided", "otherwise=0 a", "otherwise=0 a=1", "otherwise=0 a=0xg",
        "otherwise=0 a=0x11111111111111111", "otherwise=0  guided", "otherwise=0 b=0x1 a=0x1"}) {
    EXPECT_FALSE(ParseCopy(bad).ok()) << bad;
  }
}

TEST(CopyText, EachPolicyRoundTrips) {
  EXPECT_EQ(FormatCopy({{0, true, true, true}, {{"n0", 1}}}), "otherwise=0 guided merged selected n0=0x1");
  for (int bits = 0; bits < 16; ++bits) {
    const CopyPolicy policy{bits & 1u, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    for (const ChoiceLiterals& literals : {ChoiceLiterals{}, ChoiceLiterals{{"n0", 1}}}) {
      const std::string text = FormatCopy({policy, literals});
      const absl::StatusOr<SearchCopyText> parsed = ParseCopy(text);
      ASSERT_TRUE(parsed.ok()) << text;
      EXPECT_EQ(parsed->literals, literals) << text;
      EXPECT_TRUE(parsed->policy.otherwise == policy.otherwise && parsed->policy.guided == policy.guided &&
                  parsed->policy.merged == policy.merged && parsed->policy.selected == policy.selected)
          << text;
    }
  }
  EXPECT_FALSE(ParseCopy("otherwise=0 selected merged").ok());
  EXPECT_FALSE(ParseCopy("otherwise=0 selected selected").ok());
}

}  // namespace
}  // namespace rewrought::verifier
