// Converts copies of the search side to the text that certificates contain, and parses this text.
#ifndef REWROUGHT_VERIFIER_MESSAGE_COPY_TEXT_H_
#define REWROUGHT_VERIFIER_MESSAGE_COPY_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

struct SearchCopyText {
  CopyPolicy policy;
  ChoiceLiterals literals;
};

// Returns a copy in the notation of certificates, such as "otherwise=0 guided merged n2.0:3#1=0x7e00".
std::string FormatCopy(const SearchCopyText& copy);

// Parses the output of FormatCopy. Fails with InvalidArgument for any other text.
absl::StatusOr<SearchCopyText> ParseCopy(absl::string_view text);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_COPY_TEXT_H_
