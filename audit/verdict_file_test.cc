// Checks that a file of stored verdicts survives crashes, and that a damaged line is refused with its number.
#include "audit/verdict_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

const std::string kKey(64, 'a'), kOtherKey(64, 'b');

Json Proved() {
  return {{"verdict", "proved"},
          {"cases", {{{"width", 8}, {"mode", "none"}, {"verdict", "proved"}, {"reason", "{\"x\": 1}"}}}}};
}

std::string LineOf(const std::string& key, const Json& value) {
  return Json{{"key", key}, {"value", value}}.dump() + "\n";
}

class VerdictFileTest : public testing::Test {
 protected:
  const std::string path_ = testing::TempDir() + "/verdict_file_test";
  void Write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string Text() {
    std::stringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void ExpectRefused(const std::string& text, int line) {
    Write(text);
    const auto file = VerdictFile::Open(path_);
    ASSERT_TRUE(absl::IsInvalidArgument(file.status())) << text;
    EXPECT_TRUE(absl::StartsWith(file.status().message(), path_ + ":" + std::to_string(line) + ":1: "))
        << file.status();
    EXPECT_TRUE(absl::StrContains(file.status().message(), "--verdicts")) << file.status();
    EXPECT_EQ(Text(), text) << "the file must not change";
  }
};

TEST_F(VerdictFileTest, ReadsBack) {
  Write("");
  ASSERT_TRUE((*VerdictFile::Open(path_))->Put(kKey, Proved()).ok());
  EXPECT_EQ(Text(), LineOf(kKey, Proved()));
  const auto file = VerdictFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->Find(kKey), Proved());
  EXPECT_EQ((*file)->Find(kOtherKey), std::nullopt);
}

TEST_F(VerdictFileTest, ACrashCostsOneLineAtMost) {
  const std::string line = LineOf(kKey, Proved());
  for (size_t size = 0; size + 1 < line.size(); ++size) {
    Write(LineOf(kOtherKey, Proved()) + line.substr(0, size));
    const auto file = VerdictFile::Open(path_);
    ASSERT_TRUE(file.ok()) << size << ": " << file.status();
    EXPECT_NE((*file)->Find(kOtherKey), std::nullopt) << size;
    EXPECT_EQ((*file)->Find(kKey).has_value(), size + 1 == line.size()) << size;
    // Another process may append to the truncated line.
    Write(line.substr(0, size) + LineOf(kOtherKey, Proved()));
    const auto joined = VerdictFile::Open(path_);
    ASSERT_TRUE(joined.ok()) << size << ": " << joined.status();
    EXPECT_NE((*joined)->Find(kOtherKey), std::nullopt) << size;
  }
}

TEST_F(VerdictFileTest, DamageIsRefused) {
  const std::string good = LineOf(kKey, Proved());
  ExpectRefused(good + "\n" + "garbage\n", 3);
  ExpectRefused("[]\n" + good, 1);
  ExpectRefused(good + good.substr(1), 2);
  ExpectRefused(good + "{\"key\":\"" + kKey + "\"}\n", 2);
  Json wrong = Proved();
  wrong["cases"][0]["verdict"] = "refuted";
  ExpectRefused(good + LineOf(kOtherKey, wrong), 2);
  wrong = Proved();
  wrong["cases"] = 1;
  ExpectRefused(good + good + LineOf(kOtherKey, wrong), 3);
  std::string damaged = good;
  damaged[damaged.size() / 2] = '\x01';
  ExpectRefused(damaged, 1);
}

}  // namespace
}  // namespace rewrought::audit
