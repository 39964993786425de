#include "proto/parse_limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rewrought::proto {

bool ParseBudget::Refuse(uint64_t most, const char* unit) {
  error_ = absl::StrCat("more than ", most, " ", unit, ", the limit for ", limits_.what, "; ", limits_.remedy);
  return false;
}

absl::Status CheckLength(absl::string_view text, const ParseLimits& limits) {
  ParseBudget budget(limits);
  budget.TakeBytes(text.size());
  return budget.status();
}

absl::Status CheckBrackets(absl::string_view text, const ParseLimits& limits, Quotes quotes, bool comments) {
  ParseBudget budget(limits);
  if (!budget.TakeBytes(text.size())) return absl::ResourceExhaustedError(absl::StrCat("1:1: ", budget.error()));
  uint64_t open = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      // A string ends at the end of its line, so a missing quote cannot hide the brackets on later lines.
      if (c == quote || c == '\n') quote = 0;
      continue;
    }
    if (c == '"' || (c == '\'' && quotes == Quotes::kDoubleAndSingle)) {
      quote = c;
    } else if (c == '#' && comments) {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++open;
      if (budget.Enter()) continue;
      const absl::string_view before = text.substr(0, i);
      const size_t line = before.rfind('\n');
      return absl::ResourceExhaustedError(absl::StrCat(std::count(before.begin(), before.end(), '\n') + 1, ":",
                                                       i - (line == absl::string_view::npos ? 0 : line + 1) + 1, ": ",
                                                       budget.error()));
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && open > 0) {
      --open;
      budget.Leave();
    }
  }
  return absl::OkStatus();
}

}  // namespace rewrought::proto
