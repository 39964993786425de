#include "verifier/message/copy_text.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rewrought::verifier {

std::string FormatCopy(const SearchCopyText& copy) {
  std::string text = absl::StrCat("otherwise=", copy.policy.otherwise, copy.policy.guided ? " guided" : "",
                                  copy.policy.merged ? " merged" : "", copy.policy.selected ? " selected" : "");
  for (const auto& [name, value] : copy.literals) absl::StrAppend(&text, " ", name, "=0x", absl::Hex(value));
  return text;
}

absl::StatusOr<SearchCopyText> ParseCopy(absl::string_view text) {
  const absl::Status malformed = absl::InvalidArgumentError(absl::StrCat("malformed copy: ", text));
  SearchCopyText copy;
  copy.policy.guided = false;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (word == "guided") {
      copy.policy.guided = true;
    } else if (word == "merged") {
      copy.policy.merged = true;
    } else if (word == "selected") {
      copy.policy.selected = true;
    } else if (parts.first == "otherwise") {
      if (!absl::SimpleAtoi(parts.second, &copy.policy.otherwise) || copy.policy.otherwise > 1) return malformed;
    } else {
      absl::string_view digits = parts.second;
      uint64_t value = 0;
      if (!absl::ConsumePrefix(&digits, "0x") || digits.size() > 16 || !absl::SimpleHexAtoi(digits, &value))
        return malformed;
      copy.literals[std::string(parts.first)] = value;
    }
  }
  if (FormatCopy(copy) != text) return malformed;
  return copy;
}

}  // namespace rewrought::verifier
