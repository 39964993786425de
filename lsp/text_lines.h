// Converts positions in text between byte offsets and the lines and characters of the Language Server Protocol
// (specification 3.17, "Position").
#ifndef REWROUGHT_LSP_TEXT_LINES_H_
#define REWROUGHT_LSP_TEXT_LINES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lsp/message_stream.h"

namespace rewrought::lsp {

// The units in which a client counts the characters of a line.
enum class CharacterUnit : uint8_t { kUtf8, kUtf16 };

struct ByteRange {
  size_t begin = 0, end = 0;  // byte offsets; `end` is exclusive
  bool operator==(const ByteRange&) const = default;
};

// An index of the lines in text. Lines count from 0.
class TextLines {
 public:
  TextLines() : TextLines("", CharacterUnit::kUtf16) {}
  // Keeps a copy of the text.
  TextLines(std::string text, CharacterUnit unit);

  const std::string& text() const { return text_; }
  size_t size() const { return starts_.size(); }

  // Returns the text of a line without its end, or "" if there is no such line.
  absl::string_view Line(size_t line) const;
  // Returns the range of a line without its indentation and its end, or an empty range if there is no such line.
  ByteRange LineRange(size_t line) const;
  // Returns the line that contains the byte at `offset`.
  size_t LineAt(size_t offset) const;
  // Returns the offset of a byte column, both from 0, limited to the end of the line.
  size_t Offset(size_t line, size_t column) const;

  Json PositionOf(size_t offset) const;         // {"line", "character"}
  Json RangeOf(ByteRange range) const;          // {"start", "end"}
  size_t OffsetOf(const Json& position) const;  // limited to the text; 0 if malformed

 private:
  std::string text_;
  CharacterUnit unit_;
  std::vector<size_t> starts_;
};

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_TEXT_LINES_H_
