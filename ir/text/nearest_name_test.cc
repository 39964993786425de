#include "ir/text/nearest_name.h"

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "ir/op_table.h"

namespace rewrought::ir {
namespace {

std::string Nearest(absl::string_view name) { return absl::StrJoin(NearestOpNames(name, &FindOp), " "); }

TEST(NearestName, FindsTheClosestOps) {
  EXPECT_EQ(Nearest("fad"), "fadd");
  EXPECT_EQ(Nearest("faddd"), "fadd");
  EXPECT_EQ(Nearest("fnge"), "fge fneg");
  EXPECT_EQ(Nearest("add"), "fadd iadd");
  EXPECT_EQ(Nearest("bsel"), "bcsel");
  EXPECT_EQ(Nearest("ubfee"), "ubfe");
  EXPECT_EQ(Nearest("FADD"), "");
  EXPECT_EQ(Nearest("nonsense"), "");
  EXPECT_EQ(Nearest("x"), "");
  EXPECT_EQ(Nearest(std::string(1000, 'f')), "");
}

TEST(NearestName, KnowsTheNamesOfOtherLanguages) {
  EXPECT_EQ(Nearest("lshr"), "ushr");
  EXPECT_EQ(Nearest("select"), "bcsel");
  EXPECT_EQ(Nearest("fne"), "fneu");
  EXPECT_EQ(Nearest("fle"), "fge");
}

TEST(NearestName, ReturnsOnlyKnownOps) {
  EXPECT_TRUE(NearestOpNames("fad", [](absl::string_view) -> const OpRow* { return nullptr; }).empty());
  EXPECT_TRUE(NearestOpNames("lshr", [](absl::string_view) -> const OpRow* { return nullptr; }).empty());
}

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("fadd", "fadd"), 0u);
  EXPECT_EQ(EditDistance("fad", "fadd"), 1u);
  EXPECT_EQ(EditDistance("faad", "fadd"), 1u);
  EXPECT_EQ(EditDistance("fdad", "fadd"), 1u);
  EXPECT_EQ(EditDistance("prove", "improve"), 2u);
}

}  // namespace
}  // namespace rewrought::ir
