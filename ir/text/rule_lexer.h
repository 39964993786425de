// A lexer for rule text: the subset of Python's tokens that tuples of names, strings and numbers need.
#ifndef REWROUGHT_IR_TEXT_RULE_LEXER_H_
#define REWROUGHT_IR_TEXT_RULE_LEXER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace rewrought::ir {

enum class TokenKind : uint8_t { kEnd, kPunctuation, kName, kString, kNumber, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // kString: the text between the quotes, with escapes. kNumber: includes the sign and `@shape`. kBad: the error
  // message.
  absl::string_view text;
  size_t begin = 0;  // offset in the whole text; for a string, that of the first character after the quote
  size_t end = 0;    // offset just past the token

  bool Is(char c) const { return kind == TokenKind::kPunctuation && text[0] == c; }
};

// Returns one token at a time. Spaces, line breaks and `#` comments separate tokens.
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

// Replaces the escapes \\ \' \" \n \t of a Python string; other escapes are unchanged.
std::string UnescapeString(absl::string_view raw);

// Quotes `text` with single quotes, or with double quotes if it contains single quotes but no double quotes.
// UnescapeString reverses the escapes.
std::string QuoteString(absl::string_view text);

}  // namespace rewrought::ir

#endif  // REWROUGHT_IR_TEXT_RULE_LEXER_H_
