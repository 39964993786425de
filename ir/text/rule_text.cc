#include "ir/text/rule_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/text/expression_parser.h"
#include "ir/text/rule_lexer.h"
#include "proto/parse_limits.h"

namespace rewrought::ir {
namespace {

constexpr size_t kMaxRuleBytes = proto::kRuleLimits.bytes;

// Parses `(search, replace[, condition[, ignored]])`.
class RuleParser {
 public:
  RuleParser(absl::string_view text, size_t begin, OpResolver find) : text_(text), lexer_(text, begin), find_(find) {}

  bool Parse(RuleEntry* entry, Rule* rule);

  size_t error_offset() const { return error_offset_; }
  const std::string& error() const { return error_; }
  const Token& peek() const { return lexer_.peek(); }
  size_t end() const { return end_; }
  const std::vector<size_t>& search_offsets() const { return search_offsets_; }
  const std::vector<size_t>& replace_offsets() const { return replace_offsets_; }

 private:
  bool Fail(size_t offset, std::string message) {
    error_offset_ = offset;
    error_ = std::move(message);
    return false;
  }
  bool ParseSide(ExpressionSide side, const Term* known, Term* term) {
    ExpressionParser parser(&lexer_, side, known, find_);
    if (!parser.ParseRoot(term)) return Fail(parser.error_offset(), parser.error());
    (side == ExpressionSide::kReplace ? replace_offsets_ : search_offsets_) = parser.offsets();
    return true;
  }
  bool Expect(char c, absl::string_view message) {
    if (lexer_.peek().kind == TokenKind::kBad) return Fail(lexer_.peek().begin, std::string(lexer_.peek().text));
    if (!lexer_.peek().Is(c)) return Fail(lexer_.peek().begin, std::string(message));
    end_ = lexer_.Next().end;
    return true;
  }
  bool ParseReplacement(RuleEntry* entry, Rule* rule);
  bool ParseProgram(RuleEntry* entry);
  bool ParseCondition(std::string* condition);
  bool SkipIgnored();

  absl::string_view text_;
  RuleLexer lexer_;
  OpResolver find_;
  size_t end_ = 0;
  size_t error_offset_ = 0;
  std::string error_;
  std::vector<size_t> search_offsets_, replace_offsets_;  // indexed by node
};

bool RuleParser::Parse(RuleEntry* entry, Rule* rule) {
  if (!Expect('(', "a rule is a tuple: (search, replace) or (search, replace, 'condition')")) return false;
  if (!ParseSide(ExpressionSide::kSearch, nullptr, &rule->search)) return false;
  if (!Expect(',', "expected ',' and the replacement after the search")) return false;
  if (!ParseReplacement(entry, rule)) return false;
  if (lexer_.peek().Is(',')) {
    lexer_.Next();
    if (!lexer_.peek().Is(')') && !ParseCondition(&rule->condition)) return false;
  }
  if (lexer_.peek().Is(',')) {
    lexer_.Next();
    if (!SkipIgnored()) return false;
  }
  return Expect(')', "expected ')' at the end of the rule");
}

bool RuleParser::ParseReplacement(RuleEntry* entry, Rule* rule) {
  if (lexer_.peek().Is('[') && entry != nullptr) return ParseProgram(entry);
  return ParseSide(ExpressionSide::kReplace, &rule->search, &rule->replace);
}

// Copies the text of a bracketed list verbatim; interprets only brackets, strings and comments.
bool RuleParser::ParseProgram(RuleEntry* entry) {
  const size_t begin = lexer_.peek().begin;
  int depth = 0;
  size_t at = begin;
  char quote = 0;
  for (; at < text_.size() && at - begin <= kMaxRuleBytes; ++at) {
    const char c = text_[at];
    if (quote != 0) {
      if (c == '\n') return Fail(at, "a string of the program has no closing quote");
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '#') {
      while (at + 1 < text_.size() && text_[at + 1] != '\n') ++at;
      continue;
    }
    if (c == '[' || c == '(') ++depth;
    if ((c == ']' || c == ')') && --depth == 0) break;
  }
  if (at >= text_.size() || depth != 0) return Fail(begin, "the program that starts here has no closing ']'");
  if (text_[at] != ']') return Fail(at, "expected ']'");
  entry->program = std::string(text_.substr(begin, at + 1 - begin));
  entry->program_column = static_cast<int>(begin);  // an offset until Locate is called
  lexer_ = RuleLexer(text_, at + 1);
  return true;
}

// Parses a string, adjacent strings (which Python concatenates), or the name of a string defined elsewhere.
bool RuleParser::ParseCondition(std::string* condition) {
  const Token first = lexer_.Next();
  if (first.kind == TokenKind::kBad) return Fail(first.begin, std::string(first.text));
  if (first.kind == TokenKind::kName) {
    *condition = std::string(first.text);
    return true;
  }
  if (first.kind != TokenKind::kString) return Fail(first.begin, "the condition must be C text in quotes");
  *condition = UnescapeString(first.text);
  while (lexer_.peek().kind == TokenKind::kString) *condition += UnescapeString(lexer_.Next().text);
  return true;
}

// Skips the fourth element. Mesa 25.0.7 ignores it; later versions use it for a test's expected status.
bool RuleParser::SkipIgnored() {
  int depth = 0;
  for (;;) {
    const Token& token = lexer_.peek();
    if (token.kind == TokenKind::kBad) return Fail(token.begin, std::string(token.text));
    if (token.kind == TokenKind::kEnd) return Fail(token.begin, "missing ')' at the end of the rule");
    if (depth == 0 && token.Is(')')) return true;
    if (depth == 0 && token.Is(',')) return Fail(token.begin, "a rule has at most four elements");
    if (token.Is('(') || token.Is('[')) ++depth;
    if (token.Is(')') || token.Is(']')) --depth;
    if (depth < 0) return Fail(token.begin, "unbalanced bracket");
    lexer_.Next();
  }
}

// Computes the 1-based line and column of `offset` in `text`, whose first line has number `line`.
void Locate(absl::string_view text, size_t offset, int line, int* found_line, int* found_column) {
  const absl::string_view before = text.substr(0, offset);
  *found_line = line + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const size_t start = before.rfind('\n');
  *found_column = static_cast<int>(start == absl::string_view::npos ? offset + 1 : offset - start);
}

absl::Status Refuse(ParseError* error) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", error->line, ", column ", error->column, ": ", error->message));
}

absl::Status RefuseAt(absl::string_view text, size_t offset, int line, std::string message, ParseError* error) {
  ParseError local;
  if (error == nullptr) error = &local;
  Locate(text, std::min(offset, text.size()), line, &error->line, &error->column);
  error->message = std::move(message);
  return Refuse(error);
}

std::string TooLong() {
  proto::ParseBudget budget(proto::kRuleLimits);
  budget.TakeBytes(kMaxRuleBytes + 1);
  return budget.error();
}

// Parses the rules of a file. Positions are relative to the whole text.
class FileReader {
 public:
  FileReader(absl::string_view text, OpResolver find) : text_(text), find_(find) {}

  std::vector<RuleEntry> Read() {
    if (!budget_.TakeBytes(text_.size())) AddError(0, 0, 0, budget_.error());
    while (budget_.ok() && SkipToRule() && TakeEntry()) ReadRule();
    return std::move(entries_);
  }

 private:
  size_t FindLineEnd(size_t at) const {
    const size_t end = text_.find('\n', at);
    return end == absl::string_view::npos ? text_.size() : end;
  }
  void EnterLine(size_t at);
  size_t LineEnd(size_t at) {
    EnterLine(at);
    return line_end_;
  }
  size_t LineStart(size_t at) {
    EnterLine(at);
    return line_start_;
  }
  bool TakeEntry();
  bool SkipToRule();
  bool SkipListSyntax();
  void ReadRule();
  size_t NextRuleLine(size_t at);
  void AddError(size_t begin, size_t end, size_t offset, std::string message);
  RuleEntry MakeEntry(size_t begin, size_t end);

  absl::string_view text_;
  OpResolver find_;
  proto::ParseBudget budget_{proto::kRuleFileLimits};
  size_t position_ = 0;
  // Lines are counted incrementally, once for the whole text.
  size_t counted_to_ = 0;
  size_t line_start_ = 0, line_end_ = 0;
  size_t next_rule_line_ = 0, next_rule_line_for_ = 0;
  int line_ = 1;
  std::vector<RuleEntry> entries_;
};

// Returns whether the budget allows another entry at this position. If not, adds an error entry.
bool FileReader::TakeEntry() {
  if (budget_.TakeItems()) return true;
  AddError(position_, LineEnd(position_), position_, budget_.error());
  return false;
}

// Moves to the next '(' that can start a rule. Any text other than comments and list syntax is an error on its line.
bool FileReader::SkipToRule() {
  for (;;) {
    while (position_ < text_.size() &&
           absl::string_view(" \t\r\n,").find(text_[position_]) != absl::string_view::npos) {
      ++position_;
    }
    if (position_ >= text_.size()) return false;
    const char c = text_[position_];
    if (c == '(') return true;
    if (c == '#') {
      position_ = LineEnd(position_);
    } else if (!SkipListSyntax()) {
      if (!TakeEntry()) return false;
      const size_t end = LineEnd(position_);
      AddError(position_, end, position_, "expected a rule: (search, replace) or (search, replace, 'condition')");
      position_ = end;
    }
  }
}

// Skips `name = [`, `name += [`, `name.extend([`, `[`, `]`, `])`, or the definition of a variable, `a = 'a'`.
bool FileReader::SkipListSyntax() {
  size_t at = position_;
  const char c = text_[at];
  if (c == ']') {
    while (at < text_.size() && (text_[at] == ']' || text_[at] == ')')) ++at;
    position_ = at;
    return true;
  }
  while (at < text_.size() && (IsNameCharacter(text_[at]) || text_[at] == '.')) ++at;
  const size_t name_end = at;
  const absl::string_view name = text_.substr(position_, name_end - position_);
  if (const std::string definition = absl::StrCat(name, " = '", name, "'");
      !name.empty() && absl::StartsWith(text_.substr(position_), definition)) {
    position_ += definition.size();
    return true;
  }
  while (at < text_.size() && absl::string_view(" \t=+(").find(text_[at]) != absl::string_view::npos) ++at;
  if (at >= text_.size() || text_[at] != '[' || (at == name_end && name_end != position_)) return false;
  position_ = at + 1;
  return true;
}

// Returns the start of the next line that begins like a rule, or the end of the text. Such a line starts with `((`, or
// with `(` that is not indented more than the line of `at`, because continuation lines of a rule are indented. `at`
// must not be on an earlier line than in previous calls.
size_t FileReader::NextRuleLine(size_t at) {
  if (at < next_rule_line_ && LineEnd(at) == next_rule_line_for_) return next_rule_line_;
  next_rule_line_for_ = LineEnd(at);
  const size_t line_start = LineStart(at);
  const size_t indentation = text_.find_first_not_of(" \t", line_start) - line_start;
  next_rule_line_ = text_.size();
  for (size_t end = next_rule_line_for_; end < text_.size(); end = FindLineEnd(end + 1)) {
    size_t start = end + 1;
    while (start < text_.size() && (text_[start] == ' ' || text_[start] == '\t')) ++start;
    const bool is_tuple = start < text_.size() && text_[start] == '(';
    if (is_tuple && (text_.substr(start, 2) == "((" || start - (end + 1) <= indentation)) {
      next_rule_line_ = start;
      break;
    }
  }
  return next_rule_line_;
}

// Caches the start and end of the line of `at`, because a line may contain many rules.
void FileReader::EnterLine(size_t at) {
  if (at >= line_start_ && at <= line_end_ && line_end_ != 0) return;
  const size_t before = at == 0 ? absl::string_view::npos : text_.rfind('\n', at - 1);
  line_start_ = before == absl::string_view::npos ? 0 : before + 1;
  line_end_ = FindLineEnd(at);
}

RuleEntry FileReader::MakeEntry(size_t begin, size_t end) {
  const absl::string_view passed = text_.substr(counted_to_, begin - counted_to_);
  line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
  counted_to_ = begin;
  RuleEntry entry;
  entry.line = line_;
  entry.text = text_.substr(begin, end - begin);
  entry.column = static_cast<int>(begin - LineStart(begin) + 1);
  return entry;
}

void FileReader::AddError(size_t begin, size_t end, size_t offset, std::string message) {
  RuleEntry entry = MakeEntry(begin, end);
  ParseError& error = entry.error;
  Locate(text_.substr(begin), offset - begin, entry.line, &error.line, &error.column);
  if (error.line == entry.line) error.column += entry.column - 1;
  error.message = std::move(message);
  entry.rule = Refuse(&error);
  entries_.push_back(std::move(entry));
}

void FileReader::ReadRule() {
  const size_t begin = position_;
  // A line that starts like a rule ends the previous rule, so that a missing ')' invalidates only one rule.
  const size_t limit = NextRuleLine(begin);
  const absl::string_view visible = text_.substr(0, std::min(limit, begin + kMaxRuleBytes));
  RuleParser parser(visible, begin, find_);
  RuleEntry parsed = MakeEntry(begin, begin);
  Rule rule;
  if (!parser.Parse(&parsed, &rule)) {
    const size_t at = parser.error_offset();
    // Do not report a missing ')' in the blank lines and comments before the next rule.
    size_t end = std::min(at, visible.size());
    if (end == visible.size()) {
      end = begin + text_.substr(begin, end - begin).find_last_not_of(" \t\r\n") + 1;
      end = std::min(end, LineEnd(begin));
    }
    position_ = limit;
    return AddError(begin, std::max(LineEnd(begin), end), end, parser.error());
  }
  const size_t line_end = LineEnd(parser.end());
  position_ = parser.end();
  while (position_ < line_end &&
         (text_[position_] == ' ' || text_[position_] == ',' || text_[position_] == '\r' || text_[position_] == '\t')) {
    ++position_;
  }
  const bool goes_on =
      position_ < line_end && text_[position_] != '#' && text_[position_] != ']' && text_[position_] != '(';
  if (goes_on) {
    const size_t junk = position_;
    position_ = line_end;
    return AddError(begin, line_end, junk, "only ',' or a comment may follow a rule; is a '(' missing?");
  }
  RuleEntry entry = MakeEntry(begin, parser.end());
  rule.line = entry.line;
  if (!parsed.program.empty()) {
    entry.program = std::move(parsed.program);
    Locate(text_.substr(begin), static_cast<size_t>(parsed.program_column) - begin, entry.line, &entry.program_line,
           &entry.program_column);
    if (entry.program_line == entry.line) entry.program_column += entry.column - 1;
  }
  entry.rule = std::move(rule);
  entries_.push_back(std::move(entry));
}

}  // namespace

absl::StatusOr<Rule> ParseRule(absl::string_view text, int line, ParseError* error, OpResolver find) {
  if (text.size() > kMaxRuleBytes) {
    return RefuseAt("", 0, line, TooLong(), error);
  }
  RuleParser parser(text, 0, find);
  Rule rule;
  if (!parser.Parse(nullptr, &rule)) return RefuseAt(text, parser.error_offset(), line, parser.error(), error);
  RuleLexer rest(text, parser.end());
  if (rest.peek().Is(',')) rest.Next();  // a comma after the rule is accepted, as in a list
  if (rest.peek().kind != TokenKind::kEnd) {
    return RefuseAt(text, rest.peek().begin, line, "only ',' or a comment may follow a rule", error);
  }
  int column = 0;
  Locate(text, text.find('('), line, &rule.line, &column);
  return rule;
}

TextPosition LocateNode(absl::string_view text, bool in_replacement, NodeIndex node, OpResolver find) {
  TextPosition position;
  RuleParser parser(text, 0, find);
  RuleEntry entry;
  Rule rule;
  if (text.size() > kMaxRuleBytes || !parser.Parse(&entry, &rule)) return position;
  const std::vector<size_t>& offsets = in_replacement ? parser.replace_offsets() : parser.search_offsets();
  if (node < offsets.size()) Locate(text, offsets[node], 1, &position.line, &position.column);
  return position;
}

namespace {

absl::StatusOr<Term> ParseAlone(absl::string_view text, ExpressionSide side, ParseError* error, OpResolver find) {
  if (text.size() > kMaxRuleBytes) {
    return RefuseAt("", 0, 1, TooLong(), error);
  }
  RuleLexer lexer(text);
  Term term;
  ExpressionParser parser(&lexer, side, nullptr, find);
  if (!parser.ParseRoot(&term)) return RefuseAt(text, parser.error_offset(), 1, parser.error(), error);
  if (lexer.peek().kind != TokenKind::kEnd) {
    return RefuseAt(text, lexer.peek().begin, 1, "unexpected text after the expression", error);
  }
  return term;
}

}  // namespace

absl::StatusOr<Term> ParseTerm(absl::string_view text, ParseError* error, OpResolver find) {
  return ParseAlone(text, ExpressionSide::kTerm, error, find);
}

absl::StatusOr<Term> ParseSearch(absl::string_view text, ParseError* error, OpResolver find) {
  return ParseAlone(text, ExpressionSide::kSearchTerm, error, find);
}

std::vector<RuleEntry> ParseRules(absl::string_view text, OpResolver find) { return FileReader(text, find).Read(); }

}  // namespace rewrought::ir
