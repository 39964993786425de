#include "cli/progress.h"

#include <gtest/gtest.h>

namespace rewrought::cli {
namespace {

// Standard error is no terminal here: a log must not fill with what is rewritten in place elsewhere.
TEST(Progress, SaysNothingOfAShortRunInALog) {
  testing::internal::CaptureStderr();
  {
    Progress progress("discover");
    for (int i = 0; i < 1000; ++i) progress.Show("1 of 2");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rewrought::cli
