#include "emitter/tablegen/definitions.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

TEST(Definitions, StandInSectionsByName) {
  Definitions definitions;
  ASSERT_TRUE(definitions.Add(Section::kInstructions, "B", "def B;\n").ok());
  ASSERT_TRUE(definitions.Add(Section::kInstructions, "A", "def A;\n").ok());
  ASSERT_TRUE(definitions.Add(Section::kRegisters, "Z", "def Z;\n").ok());
  ASSERT_TRUE(definitions.Add(Section::kRegisters, "Z", "def Z;\n").ok());
  EXPECT_EQ(definitions.Text(), "\n// Registers.\ndef Z;\n\n// Instructions with their types.\ndef A;\ndef B;\n");
}

TEST(Definitions, ANameHasOneMeaning) {
  Definitions definitions;
  ASSERT_TRUE(definitions.Add(Section::kOps, "x", "def x;\n").ok());
  EXPECT_EQ(definitions.Add(Section::kFields, "x", "defvar x = 1;\n").message(), "'x' would have two meanings");
}

TEST(Definitions, EqualConditionsHaveOneName) {
  Definitions definitions;
  EXPECT_EQ(*definitions.Condition("options->a"), "condition0");
  EXPECT_EQ(*definitions.Condition("options->b"), "condition1");
  EXPECT_EQ(*definitions.Condition("options->a"), "condition0");
  EXPECT_EQ(definitions.Condition("a\">; def x").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ValueType, AreThoseThatLlvmHas) {
  EXPECT_EQ(*ValueType(true, 32, 1), "f32");
  EXPECT_EQ(*ValueType(false, 1, 4), "v4i1");
  EXPECT_EQ(ValueType(false, 1, 3).status().message(), "LLVM has no type v3i1");
  EXPECT_FALSE(ValueType(true, 8, 1).ok());
  EXPECT_TRUE(IsValueType("v3f32"));
  EXPECT_FALSE(IsValueType("untyped"));
}

}  // namespace
}  // namespace rewrought::emitter
