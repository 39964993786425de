#include "proto/utf8.h"

#include <gtest/gtest.h>

namespace rewrought {
namespace {

TEST(Utf8, KeepsValidSequences) {
  for (const std::string text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(ToUtf8(text), text);
  }
}

TEST(Utf8, ReplacesInvalidBytes) {
  EXPECT_EQ(ToUtf8("caf\xe9.frag"), "caf\xef\xbf\xbd.frag");
  EXPECT_EQ(ToUtf8("\xc3"), "\xef\xbf\xbd");
  EXPECT_EQ(ToUtf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                  // Overlong encoding.
  EXPECT_EQ(ToUtf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // Surrogate.
  EXPECT_EQ(ToUtf8("\xf4\x90\x80\x80").size(), 12u);                          // Above U+10FFFF.
}

}  // namespace
}  // namespace rewrought
