#include "ir/match/op_names.h"

#include <gtest/gtest.h>

namespace rewrought::ir {
namespace {

TEST(OpNamesIn, FindsOpsWithMarksAndSizes) {
  EXPECT_EQ(OpNamesIn("('fadd(nsz)', 'a', ('~fneg@32', b))"), (std::vector<std::string>{"fadd", "fneg"}));
  EXPECT_TRUE(OpNamesIn("a").empty());
}

}  // namespace
}  // namespace rewrought::ir
