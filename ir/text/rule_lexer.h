// Tokens of rule text. Python's lexis as far as tuples of names, strings and numbers need it.
#ifndef REWROUGHT_IR_TEXT_RULE_LEXER_H_
#define REWROUGHT_IR_TEXT_RULE_LEXER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

enum class TokenKind : uint8_t { kEnd, kPunctuation, kName, kString, kNumber, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // kString: what stands between the quotes, escapes untouched. kNumber: with sign and `@shape`. kBad: what is wrong.
  absl::string_view text;
  size_t begin = 0;  // offset in the whole text; of a string, its first character after the quote
  size_t end = 0;    // offset after the token

  bool Is(char c) const { return kind == TokenKind::kPunctuation && text[0] == c; }
};

// Reads one token at a time; spaces, line ends and `#` comments separate tokens.
class RuleLexer {
 public:
  explicit RuleLexer(absl::string_view text, size_t position = 0) : text_(text) { Advance(position); }

  const Token& peek() const { return token_; }
  Token Next() {
    Token token = token_;
    if (token.kind != TokenKind::kBad) Advance(token.end);
    return token;
  }

 private:
  void Advance(size_t position);
  void ReadString(size_t start);
  void ReadNumber(size_t start);
  void Bad(size_t at, absl::string_view why);

  absl::string_view text_;
  Token token_;
};

// The text of a Python string without its escapes (\\ \' \" \n \t; others stay as they are).
std::string UnescapeString(absl::string_view raw);

// `text` in single quotes (double ones if it has single ones and no double ones), escaped so that UnescapeString gives
// it back.
std::string QuoteString(absl::string_view text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_RULE_LEXER_H_
