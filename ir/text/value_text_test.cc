#include "ir/text/value_text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <string>

#include "ir/scalar.h"

namespace rewrought::ir {
namespace {

TEST(ValueText, WritesDecimals) {
  EXPECT_EQ(DecimalText(0x3f800000, 32), "1.0");
  EXPECT_EQ(DecimalText(0x3dcccccd, 32), "0.1");
  EXPECT_EQ(DecimalText(0xbf000000, 32), "-0.5");
  EXPECT_EQ(DecimalText(0x4b800000, 32), "16777216.0");
  EXPECT_EQ(DecimalText(0x00000001, 32), "1e-45");
  EXPECT_EQ(DecimalText(0x7f7fffff, 32), "3.4028235e+38");
  EXPECT_EQ(DecimalText(0x80000000, 32), "-0.0");
  EXPECT_EQ(DecimalText(0x3555, 16), "0.3333");
  EXPECT_EQ(DecimalText(0x3fd5555555555555, 64), "0.3333333333333333");
}

TEST(ValueText, ReadsBackAsThePattern) {
  for (uint64_t pattern = 0; pattern < 0x7c00; ++pattern) {
    const std::string text = DecimalText(pattern, 16);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    ASSERT_EQ(FloatToBits(value, 16), pattern) << text;
  }
}

TEST(ValueText, WritesIntegers) {
  EXPECT_EQ(IntegerText(0xffffffff, 32, false), "-1");
  EXPECT_EQ(IntegerText(0xffffffff, 32, true), "-1");
  EXPECT_EQ(IntegerText(65535, 32, false), "65535");
  EXPECT_EQ(IntegerText(65536, 32, false), "0x10000");
  EXPECT_EQ(IntegerText(0x7f, 32, true), "127");
  EXPECT_EQ(IntegerText(0x80, 32, true), "0x80");
  EXPECT_EQ(IntegerText(0x80, 8, false), "-128");
}

TEST(ValueText, SaysNumbersByType) {
  EXPECT_EQ(NumberText(0x7fc00000, 32, BaseType::kFloat), "nan");
  EXPECT_EQ(NumberText(0xff800000, 32, BaseType::kFloat), "-inf");
  EXPECT_EQ(NumberText(0x80000000, 32, BaseType::kFloat), "-0.0");
  EXPECT_EQ(NumberText(0x80000000, 32, BaseType::kInt), "-2147483648");
  EXPECT_EQ(NumberText(0x80000000, 32, BaseType::kUint), "2147483648");
  EXPECT_EQ(NumberText(0x80000000, 32, std::nullopt), "2147483648");
  EXPECT_EQ(NumberText(1, 1, BaseType::kBool), "True");
  EXPECT_EQ(NumberText(0xff, 8, BaseType::kFloat), "255");  // 8-bit floats do not exist
}

}  // namespace
}  // namespace rewrought::ir
