#include "cli/json_output.h"

#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

TEST(JsonOutput, IsOneLineInTheOrderWritten) {
  testing::internal::CaptureStdout();
  PrintJson({{"z", 1}, {"a", {1, 2}}, {"text", "two\nlines"}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\"z\":1,\"a\":[1,2],\"text\":\"two\\nlines\"}\n");
}

TEST(JsonOutput, ReplacesWhatIsNoUtf8) {
  testing::internal::CaptureStdout();
  PrintJson({{"name", "\xff.frag"}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{\"name\":\"\xef\xbf\xbd.frag\"}\n");
}

TEST(JsonOutput, IsAskedForByJson) {
  CLI::App app;
  bool json = false;
  AddJsonOption(&app, &json, "one JSON object per rule");
  app.parse("--json");
  EXPECT_TRUE(json);
  EXPECT_NE(app.help().find("one JSON object per rule on standard output"), std::string::npos);
}

}  // namespace
}  // namespace rewrought::cli
