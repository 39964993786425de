// Reads the arguments of `rewrought check`: rules on the command line, files of rules, and standard input.
#ifndef REWROUGHT_CLI_CHECK_INPUT_H_
#define REWROUGHT_CLI_CHECK_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/text/rule_text.h"

namespace rewrought::cli {

// One argument. It is not copyable, because the views in `entries` point into `text`.
struct CheckInput {
  CheckInput() = default;
  CheckInput(CheckInput&&) = default;
  CheckInput(const CheckInput&) = delete;

  std::string name;  // "rules.py", "-", "argument 2"
  bool is_rule = false;
  std::string text;
  std::vector<ir::RuleEntry> entries;
};

// Returns whether the argument is a rule rather than a file: it starts with '(' after optional whitespace, and no
// file has this name.
bool IsRule(const std::string& argument);

// Reads all arguments in order. Returns the errors of ReadAll, and InvalidArgument if an argument contains no rule.
absl::StatusOr<std::vector<CheckInput>> ReadCheckInputs(const std::vector<std::string>& arguments);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_INPUT_H_
