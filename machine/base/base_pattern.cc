#include "machine/base/base_pattern.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/meaning.h"

namespace rewrought::machine {
namespace {

absl::StatusOr<BasePattern> PatternOf(const ir::Expression& expression) {
  BasePattern pattern;
  const std::string& head = expression.is_atom() ? expression.atom : expression.list[0].atom;
  if (expression.is_atom() && absl::SimpleAtoi(head, &pattern.value)) return pattern;
  const std::pair<std::string, std::string> parts = absl::StrSplit(head, absl::MaxSplits('@', 1));
  pattern.name = parts.first;
  const auto is_size = [](int bits) { return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64; };
  if (!parts.second.empty() && (!absl::SimpleAtoi(parts.second, &pattern.bits) || !is_size(pattern.bits))) {
    return absl::InvalidArgumentError(absl::StrCat("'", head, "' does not have a valid size"));
  }
  if (pattern.name.empty()) return absl::InvalidArgumentError("expected an op or a variable");
  if (expression.is_atom()) return pattern;
  pattern.is_op = true;
  for (size_t i = 1; i < expression.list.size(); ++i) {
    absl::StatusOr<BasePattern> source = PatternOf(expression.list[i]);
    if (!source.ok()) return source;
    pattern.sources.push_back(*std::move(source));
  }
  return pattern;
}

}  // namespace

absl::StatusOr<BasePattern> ParseBasePattern(const std::string& text) {
  absl::StatusOr<std::vector<ir::Expression>> expressions = ir::ParseMeaning(text);
  if (!expressions.ok()) return expressions.status();
  return PatternOf((*expressions)[0]);
}

int CountOps(const BasePattern& pattern) {
  int count = pattern.is_op ? 1 : 0;
  for (const BasePattern& source : pattern.sources) count += CountOps(source);
  return count;
}

std::string PatternText(const BasePattern& pattern) {
  if (!pattern.is_op) return pattern.name.empty() ? absl::StrCat(pattern.value) : pattern.name;
  std::string text = absl::StrCat("(", pattern.name);
  if (pattern.bits != 0) absl::StrAppend(&text, "@", pattern.bits);
  for (const BasePattern& source : pattern.sources) absl::StrAppend(&text, " ", PatternText(source));
  return text + ")";
}

std::string TupleText(const BasePattern& pattern) {
  if (!pattern.is_op && pattern.name.empty()) return absl::StrCat(pattern.value);
  const std::string name =
      absl::StrCat("'", pattern.name, pattern.bits != 0 ? absl::StrCat("@", pattern.bits) : "", "'");
  if (!pattern.is_op) return name;
  std::string text = absl::StrCat("(", name);
  for (const BasePattern& source : pattern.sources) absl::StrAppend(&text, ", ", TupleText(source));
  return absl::StrCat(text, ")");
}

}  // namespace rewrought::machine
