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
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(lines.text(), ir::ResolverOf(check_.dialect));
  const std::vector<bool> in_list = LinesOfLists(lines);
  for (const ir::RuleEntry& entry : entries) {
    FileRule rule;
    rule.is_literal = true;
    rule.range = RangeOfEntry(lines, entry);
    if (is_mesa) {
      std::optional<audit::MesaRule> literal = LiteralRule(path_, entry);
      if (!literal.has_value() || !in_list[static_cast<size_t>(entry.line) - 1]) continue;
      rule.source = *std::move(literal);
      rule.question = QuestionOf(rule.source);
    } else if (entry.rule.ok()) {
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
  // The literals are only a part of a Mesa file, so its other questions must be kept.
  if (!is_mesa) ForgetUnused();
  return list;
}

RuleList RuleFile::ReadImported(const TextLines& lines, const audit::MesaRules& imported) {
  imported_ = true;
  check_.dialect = imported.dialect;
  if (sizes_ != imported.source_sizes) {
    known_.clear();
    used_.clear();
    sizes_ = imported.source_sizes;
  }
  std::multimap<int, FileRule> literals;  // by line
  for (FileRule& rule : ReadLiterals(lines).rules) literals.emplace(rule.source.line, std::move(rule));
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
        literals.erase(own);
      }
    }
    list.rules.push_back(std::move(rule));
  }
  for (const audit::UnreadableFile& problem : imported.unreadable)
    list.problems.push_back({RangeOfLine(lines, problem.line), problem.reason});
  ForgetUnused();
  return list;
}

}  // namespace rewrought::lsp
