#include "cli/arguments/unknown_command.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"

namespace rewrought::cli {
namespace {

class UnknownCommandTest : public testing::Test {
 protected:
  UnknownCommandTest() : app_("", "rewrought") {
    for (const char* name : {"check", "improve", "serve"}) app_.add_subcommand(name)->allow_extras();
    CLI::App* pack = app_.add_subcommand("pack");
    for (const char* name : {"verify", "diff"}) pack->add_subcommand(name)->allow_extras();
  }
  std::string Error(const std::vector<std::string>& arguments) {
    return UnknownCommand(&app_, arguments).value_or("known");
  }

  CLI::App app_;
};

TEST_F(UnknownCommandTest, NamesTheNearestCommand) {
  EXPECT_EQ(Error({"prove", "--help"}),
            "'prove' is not a command of `rewrought`; did you mean `rewrought improve`? `rewrought --help` lists all "
            "commands");
  EXPECT_EQ(
      Error({"pack", "verfy", "x"}),
      "'verfy' is not a command of `rewrought pack`; did you mean `rewrought pack verify`? `rewrought pack --help` "
      "lists all commands");
  EXPECT_TRUE(absl::StrContains(Error({"--help", "chekc"}), "`rewrought check`"));
  EXPECT_TRUE(absl::StrContains(Error({"(('fadd', a, 0.0), a)"}), "is not a command"));
  EXPECT_NE(Error({std::string(100000, 'x')}), "known");
}

TEST_F(UnknownCommandTest, LeavesEverythingElseToCli11) {
  EXPECT_EQ(Error({}), "known");
  EXPECT_EQ(Error({"--help"}), "known");
  EXPECT_EQ(Error({"pack", "-h"}), "known");
  EXPECT_EQ(Error({"pack", "verify", "prove", "--help"}), "known");
  EXPECT_EQ(Error({"check", "verfy"}), "known");
  EXPECT_EQ(Error({"--jbos", "check"}), "known");
  EXPECT_EQ(Error({"", "check"}), "known");
}

}  // namespace
}  // namespace rewrought::cli
