#include "cli/check_input.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/command.h"

namespace rewrought::cli {

bool IsRule(const std::string& argument) {
  std::error_code error;  // ignored: a failed lookup means that no such file exists
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(argument);
  return (absl::StartsWith(text, "(") || absl::StartsWith(text, "[")) && !std::filesystem::exists(argument, error);
}

absl::StatusOr<std::vector<CheckInput>> ReadCheckInputs(const std::vector<std::string>& arguments,
                                                        ir::OpResolver find) {
  // Allocate all inputs in advance, because moving a short string would invalidate the views into it.
  std::vector<CheckInput> inputs(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    CheckInput& input = inputs[i];
    input.is_rule = IsRule(arguments[i]);
    if (input.is_rule) {
      input.name = absl::StrCat("argument ", i + 1);
      input.text = arguments[i];
    } else {
      input.name = arguments[i];
      absl::StatusOr<std::string> text = ReadInput(arguments[i], proto::kRuleFileLimits);
      if (absl::IsNotFound(text.status())) {
        return absl::NotFoundError(
            absl::StrCat(text.status().message(), "; a rule on the command line starts with '(', and a list with '['"));
      }
      if (!text.ok()) return text.status();
      input.text = *std::move(text);
    }
    input.entries = ir::ParseRules(input.text, find);
    if (input.entries.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(input.name, ":1:1: no rules; expected one '(search, replace)' per line"));
    }
  }
  return inputs;
}

}  // namespace rewrought::cli
