#include "machine/evaluate_text.h"

#include "gtest/gtest.h"

namespace rewrought::machine {
namespace {

constexpr ir::Dialect k25 = ir::Dialect::kNir25, k26 = ir::Dialect::kNir26;

TEST(HexValue, ReadsDigitsAndSize) {
  EXPECT_EQ(ParseHexValue("0x3f800000")->bits, 0x3f800000u);
  EXPECT_EQ(ParseHexValue("0x3f800000")->width, 32);
  EXPECT_EQ(ParseHexValue("0x1")->width, 1);
  EXPECT_EQ(ParseHexValue("0xffffffffffffffff")->bits, ~uint64_t{0});
  for (const char* wrong : {"", "0x", "1", "3f800000", "0x3g", "0x12345678123456789", "0x 1", "0x-1", "0x2"}) {
    EXPECT_FALSE(ParseHexValue(wrong).ok()) << wrong;
  }
}

TEST(EvaluateTerm, TakesSizesFromValues) {
  const absl::StatusOr<ir::Term> term = ReadTermOrProgram("('iadd', a, 1)", nullptr, k26);
  ASSERT_TRUE(term.ok()) << term.status();
  const absl::StatusOr<Evaluated> byte = EvaluateTerm(*term, k26, ir::DenormMode::kAny, {{"a", {0xff, 8}}});
  ASSERT_TRUE(byte.ok()) << byte.status();
  EXPECT_EQ(byte->bits, 8);
  EXPECT_EQ(byte->allowed.results[0][0].value, 0u);
  EXPECT_FALSE(EvaluateTerm(*term, k26, ir::DenormMode::kAny, {}).ok());
  EXPECT_FALSE(ReadTermOrProgram("('iadd', a)", nullptr, k26).ok());
}

TEST(EvaluateTerm, IgnoresFlagsThatAnOpOfMesa26CannotCarry) {
  const absl::StatusOr<ir::Term> term = ReadTermOrProgram("('bcsel(nsz)', True, a, 0.0)", nullptr, k26);
  ASSERT_TRUE(term.ok()) << term.status();
  const absl::StatusOr<Evaluated> zero = EvaluateTerm(*term, k26, ir::DenormMode::kAny, {{"a", {0x80000000, 32}}});
  ASSERT_TRUE(zero.ok()) << zero.status();
  ASSERT_EQ(zero->allowed.results.size(), 1u);
  EXPECT_EQ(zero->allowed.results[0][0].value, 0x80000000u);
}

TEST(EvaluateTerm, ReadsProgramsOfAMachine) {
  const absl::StatusOr<const Machine*> machine = FindMachine("intel_gen9");
  ASSERT_TRUE(machine.ok()) << machine.status();
  const absl::StatusOr<ir::Term> term = ReadTermOrProgram("[ADD(r(F), a(F), -b(F)).sat()]", *machine, k25);
  ASSERT_TRUE(term.ok()) << term.status();
  const absl::StatusOr<Evaluated> one =
      EvaluateTerm(*term, k25, ir::DenormMode::kPreserve, {{"a", {0x40000000, 32}}, {"b", {0x3f800000, 32}}});
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->allowed.results[0][0].value, 0x3f800000u);
  EXPECT_FALSE(ReadTermOrProgram("[NOPE(r(F), a(F))]", *machine, k25).ok());
  EXPECT_FALSE(ReadTermOrProgram("[ADD(r(F), a(F), -b(F)).sat()]", *machine, k26).ok());
}

}  // namespace
}  // namespace rewrought::machine
