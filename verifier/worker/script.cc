#include "verifier/worker/script.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/parse_limits.h"

namespace rewrought::verifier {
namespace {

enum class TokenKind { kOpen, kClose, kAtom, kEnd, kBroken };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;  // for an atom, as written; for kBroken, the error
  size_t offset = 0;
};

bool EndsAtom(char c) { return absl::ascii_isspace(c) || c == '(' || c == ')' || c == ';' || c == '"' || c == '|'; }

// Splits SMT-LIB text into parentheses and atoms; skips comments and white space.
class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  Token Next() {
    SkipBlanks();
    const size_t start = position_;
    if (start == text_.size()) return {TokenKind::kEnd, {}, start};
    const char c = text_[start];
    if (c == '(' || c == ')') {
      ++position_;
      return {c == '(' ? TokenKind::kOpen : TokenKind::kClose, text_.substr(start, 1), start};
    }
    if (c == '"' || c == '|') {
      // A doubled quote inside a string is scanned as two adjacent strings, which makes no difference here.
      position_ = text_.find(c, start + 1);
      if (position_ == absl::string_view::npos) {
        position_ = text_.size();
        return {TokenKind::kBroken, c == '"' ? "unfinished string" : "unfinished |name|", start};
      }
      ++position_;
      const absl::string_view quoted = text_.substr(start, position_ - start);
      // Z3 treats a backslash as an escape and other solvers do not, so solvers would disagree about where the token
      // ends.
      if (absl::StrContains(quoted, '\\')) return {TokenKind::kBroken, "backslash in a quoted token", start};
      return {TokenKind::kAtom, quoted, start};
    }
    while (position_ < text_.size() && !EndsAtom(text_[position_])) {
      const unsigned char byte = static_cast<unsigned char>(text_[position_]);
      if (byte < 0x20 || byte >= 0x7f) return {TokenKind::kBroken, "character outside printable ASCII", position_};
      ++position_;
    }
    return {TokenKind::kAtom, text_.substr(start, position_ - start), start};
  }

 private:
  void SkipBlanks() {
    while (position_ < text_.size()) {
      if (text_[position_] == ';') {
        position_ = text_.find('\n', position_);
        if (position_ == absl::string_view::npos) position_ = text_.size();
      } else if (absl::ascii_isspace(text_[position_])) {
        ++position_;
      } else {
        return;
      }
    }
  }

  absl::string_view text_;
  size_t position_ = 0;
};

constexpr std::array<absl::string_view, 9> kAllowed = {"assert",       "declare-const", "declare-fun",
                                                       "declare-sort", "define-const",  "define-fun",
                                                       "define-sort",  "set-info",      "set-logic"};

bool IsAllowed(absl::string_view command) {
  for (absl::string_view allowed : kAllowed) {
    if (command == allowed) return true;
  }
  return false;
}

absl::Status At(size_t offset, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("byte ", offset, ": ", what));
}

// Parses a command whose opening parenthesis is at `open`. `first` is true if no command precedes it.
absl::Status CheckCommand(Scanner& scanner, size_t open, bool first, proto::ParseBudget* budget) {
  const Token name = scanner.Next();
  if (name.kind != TokenKind::kAtom) return At(name.offset, "missing command name");
  if (!IsAllowed(name.text) || (name.text == "set-logic" && !first)) {
    return At(name.offset, absl::StrCat("command ", name.text.substr(0, 40), " is not allowed here"));
  }
  for (int depth = 1; depth > 0;) {
    const Token token = scanner.Next();
    switch (token.kind) {
      case TokenKind::kOpen:
        ++depth;
        if (!budget->Enter()) return At(token.offset, budget->error());
        break;
      case TokenKind::kClose:
        --depth;
        if (depth > 0) budget->Leave();
        break;
      case TokenKind::kAtom:
        break;
      case TokenKind::kEnd:
        return At(open, "unfinished command");
      case TokenKind::kBroken:
        return At(token.offset, token.text);
    }
  }
  return absl::OkStatus();
}

// Skips the rest of a list after its opening parenthesis. Returns false if the text ends first.
bool SkipList(Scanner& scanner) {
  for (int depth = 1; depth > 0;) {
    const Token token = scanner.Next();
    if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kBroken) return false;
    if (token.kind == TokenKind::kOpen) ++depth;
    if (token.kind == TokenKind::kClose) --depth;
  }
  return true;
}

// Skips an atom or list. Returns the atom's text, an empty string for a list, or nullopt if there is neither.
std::optional<absl::string_view> SkipTerm(Scanner& scanner) {
  const Token token = scanner.Next();
  if (token.kind == TokenKind::kAtom) return token.text;
  if (token.kind == TokenKind::kOpen && SkipList(scanner)) return absl::string_view();
  return std::nullopt;
}

// Parses "define-fun name (parameters) sort value)" after the opening parenthesis. Stores the value if the definition
// has no parameters.
bool ReadDefinition(Scanner& scanner, std::map<std::string, std::string>& values) {
  if (scanner.Next().text != "define-fun") return false;
  const Token name = scanner.Next();
  if (name.kind != TokenKind::kAtom || scanner.Next().kind != TokenKind::kOpen) return false;
  const Token parameter = scanner.Next();
  const bool constant = parameter.kind == TokenKind::kClose;
  // If the parameter list is not empty, skip its first parameter, then the others.
  if (!constant && !(parameter.kind == TokenKind::kOpen && SkipList(scanner) && SkipList(scanner))) return false;
  if (!SkipTerm(scanner).has_value()) return false;
  const std::optional<absl::string_view> value = SkipTerm(scanner);
  if (!value.has_value() || scanner.Next().kind != TokenKind::kClose) return false;
  const std::optional<std::string> hex = LiteralToHex(*value);
  if (!constant || !hex.has_value()) return true;
  absl::string_view plain = name.text;
  if (absl::ConsumePrefix(&plain, "|")) absl::ConsumeSuffix(&plain, "|");
  return values.emplace(std::string(plain), *hex).second;
}

}  // namespace

absl::Status CheckScript(absl::string_view text) {
  proto::ParseBudget budget(proto::kSmtLimits);
  if (!budget.TakeBytes(text.size())) return At(proto::kSmtLimits.bytes, budget.error());
  if (absl::StrContains(text, absl::string_view("\0", 1))) return At(text.find('\0'), "NUL character");
  Scanner scanner(text);
  for (bool first = true;; first = false) {
    const Token token = scanner.Next();
    if (token.kind == TokenKind::kEnd) return absl::OkStatus();
    if (token.kind != TokenKind::kOpen) return At(token.offset, "a command must start with '('");
    const proto::ParseLevel level(&budget);
    absl::Status status = CheckCommand(scanner, token.offset, first, &budget);
    if (!status.ok()) return status;
  }
}

bool HasLogic(absl::string_view text) {
  Scanner scanner(text);
  return scanner.Next().kind == TokenKind::kOpen && scanner.Next().text == "set-logic";
}

bool IsQuotableName(absl::string_view name) {
  for (char c : name) {
    if (c == '|' || c == '\\' || absl::ascii_iscntrl(c)) return false;
  }
  return !name.empty();
}

std::optional<std::string> LiteralToHex(absl::string_view literal) {
  if (literal == "true") return "1";
  if (literal == "false") return "0";
  if (uint64_t number = 0; !literal.empty() && absl::ascii_isdigit(literal[0]) && absl::SimpleAtoi(literal, &number))
    return absl::StrCat(absl::Hex(number));
  if (absl::ConsumePrefix(&literal, "#x")) {
    for (char c : literal) {
      if (!absl::ascii_isxdigit(c)) return std::nullopt;
    }
    if (literal.empty()) return std::nullopt;
    return absl::AsciiStrToLower(literal);
  }
  if (!absl::ConsumePrefix(&literal, "#b") || literal.empty()) return std::nullopt;
  std::string hex((literal.size() + 3) / 4, '0');
  for (size_t bit = 0; bit < literal.size(); ++bit) {
    const char c = literal[literal.size() - 1 - bit];
    if (c != '0' && c != '1') return std::nullopt;
    char& digit = hex[hex.size() - 1 - bit / 4];
    const int value = (digit <= '9' ? digit - '0' : digit - 'a' + 10) | ((c - '0') << (bit % 4));
    digit = "0123456789abcdef"[value];
  }
  return hex;
}

std::optional<std::map<std::string, std::string>> ParseModel(absl::string_view text) {
  if (!proto::CheckLength(text, proto::kSmtLimits).ok()) return std::nullopt;
  Scanner scanner(text);
  if (scanner.Next().kind != TokenKind::kOpen) return std::nullopt;
  std::map<std::string, std::string> values;
  for (;;) {
    const Token token = scanner.Next();
    if (token.kind == TokenKind::kClose) break;
    if (token.kind != TokenKind::kOpen || !ReadDefinition(scanner, values)) return std::nullopt;
  }
  if (scanner.Next().kind != TokenKind::kEnd) return std::nullopt;
  return values;
}

}  // namespace rewrought::verifier
