#include "lsp/rule_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/text/rule_text.h"

namespace rewrought::lsp {
namespace {

// Returns the index after the string literal that starts at text[at], or npos if it does not end.
size_t SkipString(absl::string_view text, size_t at) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

// Returns the content of a string literal without escapes, or nullopt for any other text, such as two literals.
std::optional<std::string> PlainString(absl::string_view text) {
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"')) return std::nullopt;
  const absl::string_view content = text.substr(1, text.size() - 2);
  if (SkipString(text, 0) != text.size() || absl::StrContains(content, '\\')) return std::nullopt;
  return std::string(content);
}

// Returns a literal rule as the importer would return it, or nullopt if only Python can evaluate the rule.
std::optional<audit::MesaRule> LiteralRule(const std::string& file, const ir::RuleEntry& entry) {
  const std::vector<absl::string_view> elements = ElementsOf(entry.text);
  if (!entry.rule.ok() || !entry.program.empty() || elements.size() < 2) return std::nullopt;
  audit::MesaRule rule;
  rule.file = file;
  rule.line = entry.line;
  rule.search = std::string(elements[0]);
  rule.replace = std::string(elements[1]);
  if (elements.size() > 2 && elements[2] != "True") {
    std::optional<std::string> condition = PlainString(elements[2]);
    if (!condition.has_value()) return std::nullopt;
    rule.condition = *std::move(condition);
  }
  return rule;
}

// Returns the names, keywords, and numbers in Python code, and its other characters one by one. Omits spaces, strings,
// and comments. The code may have unbalanced quotes.
std::vector<absl::string_view> TokensOf(absl::string_view text) {
  const auto is_word = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  std::vector<absl::string_view> tokens;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (text[i] == '\'' || text[i] == '"') {
      i = std::min(SkipString(text, i), text.size());
    } else if (text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (is_word(text[i])) {
      while (i < text.size() && is_word(text[i])) ++i;
      tokens.push_back(text.substr(begin, i - begin));
    } else {
      if (!absl::ascii_isspace(static_cast<unsigned char>(text[i]))) tokens.push_back(text.substr(i, 1));
      ++i;
    }
  }
  return tokens;
}

// Adds the names that the sides of a rule contain, except for Boolean constants.
void AddNames(const audit::MesaRule& rule, std::set<std::string>* names) {
  const std::string text = rule.Text();
  for (const absl::string_view token : TokensOf(text)) {
    const bool is_name = absl::ascii_isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_';
    if (is_name && token != "True" && token != "False") names->emplace(token);
  }
}

// Adds all names that a line of Python can bind: those before `=`, those between `for` and `in`, and those after other
// keywords that bind names. Some of them may be bound nowhere.
void AddBoundNames(absl::string_view line, std::set<std::string>* names) {
  const std::vector<absl::string_view> tokens = TokensOf(line);
  size_t bound = 0;  // the tokens from here on may be bound
  const auto add_until = [&](size_t end) {
    for (; bound < end; ++bound) names->emplace(tokens[bound]);
  };
  static const std::set<absl::string_view>& keywords =
      *new std::set<absl::string_view>{"import", "def", "class", "as", "lambda", "global", "nonlocal", "case"};
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (keywords.contains(tokens[i])) {
      bound = std::min(bound, i);
      return add_until(tokens.size());
    }
    if (tokens[i] == "=") add_until(i);
    if (tokens[i] == "for") bound = i;
    if (tokens[i] == "in") add_until(i);
  }
}

// Returns whether a line that is not indented starts a list of rules, as in "late_optimizations = [" and
// "optimizations.extend([". The rules in any other statement, such as a loop, are not literals.
bool StartsList(absl::string_view line) {
  size_t end = 0;
  while (end < line.size() && (absl::ascii_isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_')) ++end;
  if (end == 0) return false;
  const absl::string_view rest = absl::StripAsciiWhitespace(line.substr(end));
  return absl::StartsWith(rest, "= [") || absl::StartsWith(rest, "+= [") || absl::StartsWith(rest, "=[") ||
         absl::StartsWith(rest, ".extend([") || absl::StartsWith(rest, ".append(");
}

// Returns for each line whether it belongs to a list of rules at the top level.
std::vector<bool> LinesOfLists(const TextLines& lines) {
  std::vector<bool> in_list(lines.size());
  bool inside = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const absl::string_view line = lines.Line(i);
    const bool starts_statement = !line.empty() && !absl::StrContains(" \t#)]", line[0]);
    if (starts_statement) inside = StartsList(line);
    in_list[i] = inside;
  }
  return in_list;
}

ByteRange RangeOfEntry(const TextLines& lines, const ir::RuleEntry& entry) {
  const size_t begin = lines.Offset(static_cast<size_t>(entry.line) - 1, static_cast<size_t>(entry.column) - 1);
  return {begin, begin + entry.text.size()};
}

ByteRange RangeOfLine(const TextLines& lines, int line) {
  return lines.LineRange(static_cast<size_t>(std::max(line, 1)) - 1);
}

}  // namespace

std::vector<absl::string_view> ElementsOf(absl::string_view text) {
  std::vector<absl::string_view> elements;
  size_t depth = 0, begin = 0, end = 0;  // of the current element, without spaces and comments around it
  const auto add = [&] {
    if (end > begin) elements.push_back(text.substr(begin, end - begin));
    begin = end = 0;
  };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (depth == 1 && c == ',') {
      add();
      ++i;
    } else {
      const bool opens = absl::StrContains("([{", c);
      if (depth == 0 && !opens) return {};
      if (absl::StrContains(")]}", c) && --depth == 0) {
        add();
        return elements;
      }
      const size_t next = c == '\'' || c == '"' ? SkipString(text, i) : i + 1;
      if (next == absl::string_view::npos) return {};
      if (depth > 0) {
        if (end == 0) begin = i;
        end = next;
      }
      if (opens) ++depth;
      i = next;
    }
  }
  return {};
}

RuleFile::RuleFile(std::string path, verifier::RuleCheckOptions check, std::string limits)
    : path_(std::move(path)),
      is_python_(absl::EndsWith(path_, ".py")),
      in_tree_(is_python_ && !audit::NirFolderOf(path_).empty()),
      check_(std::move(check)),
      limits_(std::move(limits)) {}

FileKind RuleFile::KindOf(absl::string_view text) const {
  if (!is_python_) return FileKind::kRules;
  const bool imports =
      absl::StrContains(text, "import nir_algebraic") || absl::StrContains(text, "from nir_algebraic import");
  return in_tree_ && imports ? FileKind::kMesa : FileKind::kOther;
}

template <typename Make>
std::shared_ptr<const audit::Question> RuleFile::Remember(std::string memo, Make make) {
  std::shared_ptr<const audit::Question>& used = used_[memo];
  if (used != nullptr) return used;
  const auto known = known_.find(memo);
  used = known != known_.end() ? known->second : std::shared_ptr<const audit::Question>(make());
  return used;
}

void RuleFile::ForgetUnused() {
  known_ = std::move(used_);
  used_.clear();
}

std::shared_ptr<const audit::Question> RuleFile::QuestionOf(const audit::MesaRule& rule) {
  return Remember(absl::StrCat(rule.search, "\n", rule.replace, "\n", rule.condition),
                  [&] { return audit::MakeQuestion(rule, sizes_, check_, limits_); });
}

std::shared_ptr<const audit::Question> RuleFile::QuestionAsWritten(absl::string_view text) {
  return Remember(std::string(text), [&] { return audit::MakeQuestionAsWritten(std::string(text), check_, limits_); });
}

RuleList RuleFile::ReadLiterals(const TextLines& lines) {
  RuleList list;
  const FileKind kind = KindOf(lines.text());
  const bool is_mesa = kind == FileKind::kMesa;
  if (kind == FileKind::kOther || (is_mesa && !imported_)) return list;
  if (is_mesa) {
    const std::vector<bool> in_list = LinesOfLists(lines);
    std::set<std::string> rebound;  // the names that code which has not been imported may bind
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!in_list[i] && !other_lines_.contains(std::string(lines.Line(i)))) AddBoundNames(lines.Line(i), &rebound);
    }
    for (FileRule& rule : LiteralsOf(lines, in_list)) {
      std::set<std::string> names;
      AddNames(rule.source, &names);
      const bool are_variables = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return variables_.contains(name) && !rebound.contains(name);
      });
      if (are_variables) list.rules.push_back(std::move(rule));
    }
    return list;  // These are only a part of the file's rules, so its other questions must be kept.
  }
  for (const ir::RuleEntry& entry : ir::ParseRules(lines.text(), ir::ResolverOf(check_.dialect))) {
    FileRule rule;
    rule.is_literal = true;
    rule.range = RangeOfEntry(lines, entry);
    if (entry.rule.ok()) {
      rule.source.file = path_;
      rule.source.line = entry.line;
      rule.question = QuestionAsWritten(entry.text);
    } else {
      const size_t at = lines.Offset(static_cast<size_t>(std::max(entry.error.line, 1)) - 1,
                                     static_cast<size_t>(std::max(entry.error.column, 1)) - 1);
      list.problems.push_back({{at, std::max(at, rule.range.end)}, entry.error.message});
      continue;
    }
    list.rules.push_back(std::move(rule));
  }
  ForgetUnused();
  return list;
}

std::vector<FileRule> RuleFile::LiteralsOf(const TextLines& lines, const std::vector<bool>& in_list) {
  std::vector<FileRule> rules;
  for (const ir::RuleEntry& entry : ir::ParseRules(lines.text(), ir::ResolverOf(check_.dialect))) {
    std::optional<audit::MesaRule> literal = LiteralRule(path_, entry);
    if (!literal.has_value() || !in_list[static_cast<size_t>(entry.line) - 1]) continue;
    FileRule rule;
    rule.is_literal = true;
    rule.range = RangeOfEntry(lines, entry);
    rule.source = *std::move(literal);
    rule.question = QuestionOf(rule.source);
    rules.push_back(std::move(rule));
  }
  return rules;
}

RuleList RuleFile::ReadImported(const TextLines& lines, const audit::MesaRules& imported) {
  imported_ = true;
  check_.dialect = imported.dialect;
  if (sizes_ != imported.source_sizes) {
    known_.clear();
    used_.clear();
    sizes_ = imported.source_sizes;
  }
  const std::vector<bool> in_list = LinesOfLists(lines);
  other_lines_.clear();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!in_list[i]) other_lines_.emplace(lines.Line(i));
  }
  std::multimap<int, FileRule> literals;  // by line
  for (FileRule& rule : LiteralsOf(lines, in_list)) literals.emplace(rule.source.line, std::move(rule));
  variables_.clear();
  std::vector<std::set<std::string>> differing;  // the names of each literal that differs from the imported rules
  RuleList list;
  for (const audit::MesaRule& source : imported.rules) {
    FileRule rule;
    rule.source = source;
    rule.range = RangeOfLine(lines, source.line);
    if (source.reason.empty()) {
      rule.question = QuestionOf(source);
      const auto [first, last] = literals.equal_range(source.line);
      const auto own = std::find_if(
          first, last, [&](const auto& literal) { return literal.second.question->key == rule.question->key; });
      if (own != last) {
        rule.is_literal = true;
        rule.range = own->second.range;
        AddNames(own->second.source, &variables_);
        literals.erase(own);
      } else if (first != last) {
        for (auto other = first; other != last; ++other) AddNames(other->second.source, &differing.emplace_back());
      }
    }
    list.rules.push_back(std::move(rule));
  }
  // If all names in a literal that differs from the imported rules denote variables elsewhere, one of them has been
  // bound again.
  const std::set<std::string> known = variables_;
  for (const std::set<std::string>& names : differing) {
    if (!std::includes(known.begin(), known.end(), names.begin(), names.end())) continue;
    for (const std::string& name : names) variables_.erase(name);
  }
  for (const audit::UnreadableFile& problem : imported.unreadable)
    list.problems.push_back({RangeOfLine(lines, problem.line), problem.reason});
  ForgetUnused();
  return list;
}

}  // namespace rewrought::lsp
