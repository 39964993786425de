// Defines a cursor over one line of text, for readers that must accept arbitrary bytes.
#ifndef REWROUGHT_CORPUS_TEXT_TEXT_CURSOR_H_
#define REWROUGHT_CORPUS_TEXT_TEXT_CURSOR_H_

#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace rewrought::corpus {

class TextCursor {
 public:
  explicit TextCursor(absl::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  absl::string_view rest() const { return rest_; }

  void SkipSpaces() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }

  // Consumes `text` and returns true if the rest of the line begins with it.
  bool Take(absl::string_view text) {
    if (!absl::StartsWith(rest_, text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // Consumes and returns a decimal number below 2^32. If there is none, consumes nothing.
  std::optional<uint32_t> TakeNumber() {
    uint64_t value = 0;
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[length])) && length < 10) {
      value = value * 10 + static_cast<uint64_t>(rest_[length] - '0');
      ++length;
    }
    if (length == 0 || value > UINT32_MAX) return std::nullopt;
    rest_.remove_prefix(length);
    return static_cast<uint32_t>(value);
  }

  // Consumes and returns letters, digits, and '_'. The result may be empty.
  absl::string_view TakeWord() {
    size_t length = 0;
    while (length < rest_.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_')) {
      ++length;
    }
    const absl::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

  // Consumes the text from '(' to the matching ')'. Returns false and consumes nothing if there are no such
  // parentheses.
  bool TakeParenthesised(absl::string_view* inside) {
    if (rest_.empty() || rest_[0] != '(') return false;
    int depth = 0;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '(') ++depth;
      if (rest_[i] == ')' && --depth == 0) {
        *inside = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

 private:
  absl::string_view rest_;
};

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_TEXT_TEXT_CURSOR_H_
