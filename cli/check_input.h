// Reads the rules that the arguments of `rewrought check` name: on the command line, in files, or on standard input.
#ifndef REWROUGHT_CLI_CHECK_INPUT_H_
#define REWROUGHT_CLI_CHECK_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/text/rule_text.h"

namespace rewrought::cli {

// One argument. Not copyable, because the views in `entries` point into `text`.
struct CheckInput {
  CheckInput() = default;
  CheckInput(CheckInput&&) = default;
  CheckInput(const CheckInput&) = delete;

  std::string name;  // "rules.py", "-", "argument 2"
  bool is_rule = false;
  std::string text;
  std::vector<ir::RuleEntry> entries;
};

// Returns whether the argument is a rule rather than a file: it starts with '(' and no file has this name.
bool IsRule(const std::string& argument);

// Reads all arguments in order. Returns ReadAll's errors, and InvalidArgument if an argument contains no rule.
absl::StatusOr<std::vector<CheckInput>> ReadCheckInputs(const std::vector<std::string>& arguments);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_INPUT_H_
