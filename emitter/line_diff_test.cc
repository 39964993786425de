#include "emitter/line_diff.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rewrought::emitter {
namespace {

std::string Diff(const std::string& before, const std::string& after) {
  return absl::StrJoin(
      LineDiff(absl::StrSplit(before, ' ', absl::SkipEmpty()), absl::StrSplit(after, ' ', absl::SkipEmpty())), "|");
}

TEST(LineDiff, MarksWhatIsOnOneSide) {
  EXPECT_EQ(Diff("", ""), "");
  EXPECT_EQ(Diff("a b", "a b"), "  a|  b");
  EXPECT_EQ(Diff("a", ""), "- a");
  EXPECT_EQ(Diff("", "a"), "+ a");
  EXPECT_EQ(Diff("a b c", "a x c"), "  a|- b|+ x|  c");
  EXPECT_EQ(Diff("w m x", "m"), "- w|  m|- x");
  EXPECT_EQ(Diff("a b c d", "b d e"), "- a|  b|- c|  d|+ e");
  EXPECT_EQ(Diff("a a", "a a a"), "  a|  a|+ a");
  EXPECT_EQ(Diff("x b y", "p b q"), "- x|+ p|  b|- y|+ q");
  EXPECT_EQ(Diff("1 2 3 4 5 6 m 7 8 9 10 11 12", "m"), "- 1|- 2|- 3|- 4|- 5|- 6|  m|- 7|- 8|- 9|- 10|- 11|- 12");
}

// Handles any number of lines with bounded work.
TEST(LineDiff, LongOnesAreNotSearched) {
  std::vector<std::string> before = {"first"}, after = {"first"};
  for (int i = 0; i < 2000; ++i) before.push_back(absl::StrCat("x", i)), after.push_back(absl::StrCat("y", i));
  before.insert(before.end(), {"common", "p", "last"});
  after.insert(after.end(), {"common", "q", "last"});
  const std::vector<std::string> lines = LineDiff(before, after);
  EXPECT_EQ(lines.size(), 2u + 2 * 2002);
  EXPECT_EQ(lines.front(), "  first");
  EXPECT_EQ(lines.back(), "  last");
}

}  // namespace
}  // namespace rewrought::emitter
