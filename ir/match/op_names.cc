#include "ir/match/op_names.h"

#include "absl/strings/ascii.h"

namespace rewrought::ir {

std::vector<std::string> OpNamesIn(absl::string_view text) {
  std::vector<std::string> names;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '(' || (text[i + 1] != '\'' && text[i + 1] != '"')) continue;
    i += 2;
    while (i < text.size() && (text[i] == '~' || text[i] == '!')) ++i;
    const size_t start = i;
    while (i < text.size() && (absl::ascii_isalnum(text[i]) || text[i] == '_')) ++i;
    if (i > start) names.emplace_back(text.substr(start, i - start));
    --i;
  }
  return names;
}

}  // namespace rewrought::ir
