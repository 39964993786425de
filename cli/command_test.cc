#include "cli/command.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace rewrought::cli {
namespace {

// Returns the default value of --db.
std::string DefaultDatabase() {
  CLI::App app;
  Context context;
  AddDatabaseOption(&app, &context);
  app.parse("");
  return context.db;
}

TEST(Command, TheDatabaseLiesWhereTheDesktopKeepsData) {
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(DefaultDatabase(), "/data/rewrought/rewrought.db");
  setenv("XDG_DATA_HOME", "", 1);
  setenv("HOME", "/people/someone", 1);
  EXPECT_EQ(DefaultDatabase(), "/people/someone/.local/share/rewrought/rewrought.db");
}

TEST(Command, FailSaysWhoSpeaks) {
  Context context;
  testing::internal::CaptureStderr();
  Fail(&context, "x.rules: no");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "rewrought: x.rules: no\n");
  EXPECT_EQ(context.exit_code, kBadInput);
}

TEST(Command, ReadsFilesAndSaysWhyNot) {
  const std::string path = testing::TempDir() + "some.txt";
  std::ofstream(path) << "one\ntwo";
  EXPECT_EQ(*ReadInput(path, proto::kRuleFileLimits), "one\ntwo");
  EXPECT_TRUE(absl::IsNotFound(ReadInput(path + ".none", proto::kRuleFileLimits).status()));
  const absl::Status folder = ReadInput(testing::TempDir(), proto::kRuleFileLimits).status();
  EXPECT_NE(folder.message().find("is a folder"), absl::string_view::npos) << folder;
  EXPECT_TRUE(absl::IsResourceExhausted(ReadInput("/dev/zero", proto::kTextProtoLimits).status()));
}

TEST(Command, AMachineIsAnOption) {
  CLI::App app;
  std::string machine;
  AddMachineOption(&app, &machine)->required();
  app.parse("--machine agx_g13");
  EXPECT_EQ(machine, "agx_g13");
  EXPECT_THROW(app.parse(""), CLI::RequiredError);
}

}  // namespace
}  // namespace rewrought::cli
