#include "cli/check_input.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rewrought::cli {
namespace {

constexpr char kRule[] = "(('fadd', a, 0.0), a)";

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(CheckInput, TellsRulesFromFiles) {
  EXPECT_TRUE(IsRule(kRule));
  EXPECT_TRUE(IsRule("  \n(('fadd', a, 0.0), a)"));
  EXPECT_TRUE(IsRule("[(('fadd', a, 0.0), a)]"));
  EXPECT_FALSE(IsRule("-"));
  EXPECT_FALSE(IsRule("rules.py"));
  EXPECT_FALSE(IsRule(""));
  EXPECT_TRUE(IsRule("(" + std::string(100000, 'a')));  // longer than any file name
}

TEST(CheckInput, AFileMayBeCalledLikeARule) {
  std::filesystem::current_path(testing::TempDir());
  std::filesystem::remove("(odd");
  EXPECT_TRUE(IsRule("(odd"));
  WriteFile("(odd", std::string(kRule) + "\n");
  EXPECT_FALSE(IsRule("(odd"));
}

TEST(CheckInput, ReadsArgumentsInOrder) {
  const std::string path = WriteFile("two.rules", "# two\n(('iadd', a, 0), a)\n(('imul', a, 1), a)\n");
  const auto inputs = ReadCheckInputs({kRule, path, "  (('fneg', ('fneg', a)), a)"});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ(inputs->size(), 3u);
  EXPECT_EQ((*inputs)[0].name, "argument 1");
  EXPECT_TRUE((*inputs)[0].is_rule);
  EXPECT_EQ((*inputs)[1].name, path);
  EXPECT_FALSE((*inputs)[1].is_rule);
  ASSERT_EQ((*inputs)[1].entries.size(), 2u);
  EXPECT_EQ((*inputs)[1].entries[1].line, 3);
  EXPECT_EQ((*inputs)[2].name, "argument 3");
  EXPECT_EQ((*inputs)[2].entries[0].column, 3);
}

TEST(CheckInput, AListIsAnArgument) {
  const auto inputs = ReadCheckInputs({"[(('iadd', a, 0), a), (('imul', a, 1), a)]"});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ((*inputs)[0].entries.size(), 2u);
  EXPECT_TRUE((*inputs)[0].entries[1].rule.ok());
}

TEST(CheckInput, AMalformedRuleIsAnEntryWithItsPlace) {
  const auto inputs = ReadCheckInputs({kRule, "(('fadd', a), a)"});
  ASSERT_TRUE(inputs.ok());
  const ir::RuleEntry& entry = (*inputs)[1].entries[0];
  EXPECT_FALSE(entry.rule.ok());
  EXPECT_EQ(entry.error.line, 1);
  EXPECT_EQ(entry.error.column, 4);
}

TEST(CheckInput, RefusesWhatHasNoRule) {
  const std::string empty = WriteFile("empty.rules", "# nothing\n");
  EXPECT_EQ(ReadCheckInputs({kRule, empty}).status().message(),
            empty + ":1:1: no rules; expected one '(search, replace)' per line");
  const absl::Status missing = ReadCheckInputs({"no_such.rules"}).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_NE(missing.message().find("starts with '('"), absl::string_view::npos) << missing;
}

}  // namespace
}  // namespace rewrought::cli
