#include "machine/base/pattern_text.h"

#include "absl/strings/str_cat.h"

namespace rewrought::machine {

std::string PatternText(const BasePattern& pattern) {
  if (!pattern.is_op && pattern.name.empty()) return absl::StrCat(pattern.value);
  const std::string name =
      absl::StrCat("'", pattern.name, pattern.bits != 0 ? absl::StrCat("@", pattern.bits) : "", "'");
  if (!pattern.is_op) return name;
  std::string text = absl::StrCat("(", name);
  for (const BasePattern& source : pattern.sources) absl::StrAppend(&text, ", ", PatternText(source));
  return absl::StrCat(text, ")");
}

}  // namespace rewrought::machine
