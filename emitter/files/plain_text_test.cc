#include "emitter/files/plain_text.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

TEST(PlainText, IdsAreLettersAndDigits) {
  EXPECT_TRUE(CheckPlainId("b06ef7f88f81").ok());
  for (const char* id : {"a b", "a\"", "a\n", "*/", "../x"}) EXPECT_FALSE(CheckPlainId(id).ok()) << id;
}

TEST(PlainText, ConditionsAreExpressions) {
  EXPECT_TRUE(CheckPlainCondition("").ok());
  EXPECT_TRUE(CheckPlainCondition("!options->lower_fsat && (f(info->mode, 32) || x >= 2)").ok());
  for (const char* bad : {"a \"b\"", "a\nb", "a; b", "a /* b */", "a{}", "a[0]", "a\\"}) {
    EXPECT_FALSE(CheckPlainCondition(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace rewrought::emitter
