#include "ir/text/rule_lexer.h"

#include "ir/text/annotated_name.h"

namespace rewrought::ir {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void RuleLexer::Bad(size_t at, absl::string_view why) { token_ = {TokenKind::kBad, why, at, at}; }

void RuleLexer::Advance(size_t position) {
  for (; position < text_.size(); ++position) {
    const char c = text_[position];
    if (c == '#') {
      while (position < text_.size() && text_[position] != '\n') ++position;
      if (position == text_.size()) break;
    } else if (!IsSpace(c)) {
      break;
    }
  }
  if (position >= text_.size()) {
    token_ = {TokenKind::kEnd, "", text_.size(), text_.size()};
    return;
  }
  const char c = text_[position];
  const char next = position + 1 < text_.size() ? text_[position + 1] : '\0';
  if (c == '\'' || c == '"') return ReadString(position);
  if (IsDigit(c) || ((c == '.' || c == '-') && (IsDigit(next) || (c == '-' && next == '.'))))
    return ReadNumber(position);
  if (IsLetter(c) || c == '_') {
    size_t end = position;
    while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
    token_ = {TokenKind::kName, text_.substr(position, end - position), position, end};
    return;
  }
  constexpr absl::string_view kPunctuation = "()[],@.=+";
  if (kPunctuation.find(c) != absl::string_view::npos) {
    token_ = {TokenKind::kPunctuation, text_.substr(position, 1), position, position + 1};
    return;
  }
  Bad(position, c == '\0' ? "unexpected NUL character; the text must be plain ASCII"
                : static_cast<unsigned char>(c) >= 0x7f || static_cast<unsigned char>(c) < 0x20
                    ? "unexpected character that is not printable ASCII; remove it"
                    : "unexpected character; a rule consists of tuples, quoted names and numbers");
}

void RuleLexer::ReadString(size_t start) {
  const char quote = text_[start];
  bool escaped = false;
  for (size_t i = start + 1; i < text_.size(); ++i) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c == '\n' || c == '\r') break;
    if (c < 0x20 || c >= 0x7f) return Bad(i, "a string must be printable ASCII; remove this character");
    if (text_[i] == quote && !escaped) {
      token_ = {TokenKind::kString, text_.substr(start + 1, i - start - 1), start + 1, i + 1};
      return;
    }
    escaped = c == '\\' && !escaped;
  }
  Bad(start, "the string that starts here has no closing quote");
}

void RuleLexer::ReadNumber(size_t start) {
  size_t end = start + (text_[start] == '-' ? 1 : 0);
  const bool is_hex = text_.substr(end, 2) == "0x" || text_.substr(end, 2) == "0X";
  const auto in_number = [&](size_t at) {
    const char c = text_[at];
    if (IsNameCharacter(c) || c == '.') return true;
    const char before = text_[at - 1];
    return !is_hex && (c == '-' || c == '+') && (before == 'e' || before == 'E');
  };
  while (end < text_.size() && (end == start || in_number(end))) ++end;
  if (end < text_.size() && text_[end] == '@') {
    ++end;
    while (end < text_.size() && (IsNameCharacter(text_[end]) || text_[end] == ':')) ++end;
  }
  token_ = {TokenKind::kNumber, text_.substr(start, end - start), start, end};
}

std::string UnescapeString(absl::string_view raw) {
  std::string text;
  for (size_t i = 0; i < raw.size(); ++i) {
    const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
    if (raw[i] != '\\' || (next != '\\' && next != '\'' && next != '"' && next != 'n' && next != 't')) {
      text.push_back(raw[i]);
      continue;
    }
    text.push_back(next == 'n' ? '\n' : next == 't' ? '\t' : next);
    ++i;
  }
  return text;
}

std::string QuoteString(absl::string_view text) {
  const bool has_single = text.find('\'') != absl::string_view::npos;
  const char quote = has_single && text.find('"') == absl::string_view::npos ? '"' : '\'';
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == '\n' || c == '\t') {
      quoted += c == '\n' ? "\\n" : "\\t";
      continue;
    }
    if (c == quote || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back(quote);
  return quoted;
}

}  // namespace rewrought::ir
