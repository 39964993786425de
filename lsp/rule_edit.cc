#include "lsp/rule_edit.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lsp/rule_file.h"

namespace rewrought::lsp {
namespace {

// Removes the quotes of variables such as 'a', which Mesa's files define for each letter. An op follows a parenthesis,
// so it keeps its quotes.
std::string WithPlainVariables(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_variable = i + 2 < text.size() && text[i] == '\'' && text[i + 2] == '\'' &&
                             absl::ascii_islower(static_cast<unsigned char>(text[i + 1])) &&
                             (out.empty() || out.back() != '(');
    out += is_variable ? text[i + 1] : text[i];
    if (is_variable) i += 2;
  }
  return out;
}

}  // namespace

std::optional<Edit> ReplaceSides(const TextLines& lines, ByteRange tuple, absl::string_view rule) {
  const absl::string_view text = absl::string_view(lines.text()).substr(tuple.begin, tuple.end - tuple.begin);
  const std::vector<absl::string_view> old_sides = ElementsOf(text), new_sides = ElementsOf(rule);
  if (old_sides.size() < 2 || new_sides.size() < 2) return std::nullopt;
  const auto offset = [&](const char* at) { return static_cast<size_t>(at - lines.text().data()); };
  return Edit{{offset(old_sides[0].data()), offset(old_sides[1].data()) + old_sides[1].size()},
              absl::StrCat(WithPlainVariables(new_sides[0]), ", ", WithPlainVariables(new_sides[1]))};
}

Edit RemoveRule(const TextLines& lines, ByteRange tuple) {
  const std::string& text = lines.text();
  size_t begin = tuple.begin, end = tuple.end;
  if (end < text.size() && text[end] == ',') ++end;
  const size_t line_begin = lines.Offset(lines.LineAt(begin), 0);
  const bool starts_line = lines.LineRange(lines.LineAt(begin)).begin == begin;
  const bool ends_line = lines.LineRange(lines.LineAt(end)).end == end;
  if (starts_line && ends_line) {
    begin = line_begin;
    end = lines.Offset(lines.LineAt(end) + 1, 0);
  }
  return {{begin, end}, ""};
}

std::optional<std::string> WithoutTilde(absl::string_view tuple) {
  const std::vector<absl::string_view> sides = ElementsOf(tuple);
  if (sides.size() < 2) return std::nullopt;
  const std::string search = absl::StrReplaceAll(sides[0], {{"('~", "('"}, {"(\"~", "(\""}});
  if (search == sides[0]) return std::nullopt;
  return absl::StrCat("(", search, ", ", sides[1], ")");
}

}  // namespace rewrought::lsp
