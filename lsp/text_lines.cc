#include "lsp/text_lines.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace rewrought::lsp {
namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Returns the number of UTF-16 code units of the character that starts with `byte`, or 0 for a continuation byte.
size_t Utf16Units(char byte) { return IsContinuation(byte) ? 0 : static_cast<unsigned char>(byte) >= 0xf0 ? 2 : 1; }

}  // namespace

TextLines::TextLines(std::string text, CharacterUnit unit) : text_(std::move(text)), unit_(unit), starts_{0} {
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(i + 1);
  }
}

absl::string_view TextLines::Line(size_t line) const {
  if (line >= starts_.size()) return "";
  const size_t begin = starts_[line];
  size_t end = line + 1 < starts_.size() ? starts_[line + 1] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return absl::string_view(text_).substr(begin, end - begin);
}

ByteRange TextLines::LineRange(size_t line) const {
  const absl::string_view whole = Line(line);
  const absl::string_view stripped = absl::StripAsciiWhitespace(whole);
  if (stripped.empty()) return {};
  const size_t begin = static_cast<size_t>(stripped.data() - text_.data());
  return {begin, begin + stripped.size()};
}

size_t TextLines::LineAt(size_t offset) const {
  return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

size_t TextLines::Offset(size_t line, size_t column) const {
  if (line >= starts_.size()) return text_.size();
  return starts_[line] + std::min(column, Line(line).size());
}

Json TextLines::PositionOf(size_t offset) const {
  offset = std::min(offset, text_.size());
  const size_t line = LineAt(offset);
  size_t character = offset - starts_[line];
  if (unit_ == CharacterUnit::kUtf16) {
    character = 0;
    for (size_t i = starts_[line]; i < offset; ++i) character += Utf16Units(text_[i]);
  }
  return {{"line", line}, {"character", character}};
}

Json TextLines::RangeOf(ByteRange range) const {
  return {{"start", PositionOf(range.begin)}, {"end", PositionOf(range.end)}};
}

size_t TextLines::OffsetOf(const Json& position) const {
  if (!position.is_object()) return 0;
  const auto number = [&](const char* name) {
    const auto found = position.find(name);
    return found != position.end() && found->is_number_unsigned() ? found->get<size_t>() : size_t{0};
  };
  const size_t line = number("line");
  size_t character = number("character");
  if (unit_ == CharacterUnit::kUtf8 || line >= starts_.size()) return Offset(line, character);
  const absl::string_view whole = Line(line);
  size_t column = 0;
  for (; column < whole.size() && character > 0; ++column) {
    character -= std::min(character, Utf16Units(whole[column]));
    while (column + 1 < whole.size() && IsContinuation(whole[column + 1])) ++column;
  }
  return starts_[line] + column;
}

}  // namespace rewrought::lsp
