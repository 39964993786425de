#include "lsp/text_lines.h"

#include <gtest/gtest.h>

namespace rewrought::lsp {
namespace {

Json Position(size_t line, size_t character) { return {{"line", line}, {"character", character}}; }

TEST(TextLines, FindsLines) {
  const TextLines lines("a\r\n  bc \n\nd", CharacterUnit::kUtf16);
  EXPECT_EQ(lines.size(), 4);
  EXPECT_EQ(lines.Line(0), "a");
  EXPECT_EQ(lines.Line(1), "  bc ");
  EXPECT_EQ(lines.Line(3), "d");
  EXPECT_EQ(lines.Line(4), "");
  EXPECT_EQ(lines.LineRange(1), (ByteRange{5, 7}));
  EXPECT_EQ(lines.LineRange(2), ByteRange());
  EXPECT_EQ(lines.LineAt(0), 0);
  EXPECT_EQ(lines.LineAt(3), 1);
  EXPECT_EQ(lines.LineAt(10), 3);
  EXPECT_EQ(lines.Offset(1, 100), 8);
}

TEST(TextLines, CountsCharactersInTheUnitOfTheClient) {
  // "é" has two bytes and one UTF-16 unit, and the emoji has four bytes and two units.
  const std::string text = "x\n\xc3\xa9\xf0\x9f\x98\x80z";
  const TextLines utf16(text, CharacterUnit::kUtf16), utf8(text, CharacterUnit::kUtf8);
  EXPECT_EQ(utf16.PositionOf(8), Position(1, 3));
  EXPECT_EQ(utf8.PositionOf(8), Position(1, 6));
  EXPECT_EQ(utf16.OffsetOf(Position(1, 3)), 8);
  EXPECT_EQ(utf16.OffsetOf(Position(1, 1)), 4);
  EXPECT_EQ(utf8.OffsetOf(Position(1, 6)), 8);
  EXPECT_EQ(utf16.OffsetOf(Position(1, 50)), text.size());
  EXPECT_EQ(utf16.OffsetOf(Position(9, 0)), text.size());
  EXPECT_EQ(utf16.OffsetOf(Json::array()), 0);
}

}  // namespace
}  // namespace rewrought::lsp
