// What the arguments of `rewrought check` name: rules on the command line, files of rules, standard input.
#ifndef REWROUGHT_CLI_CHECK_INPUT_H_
#define REWROUGHT_CLI_CHECK_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/text/rule_text.h"

namespace rewrought::cli {

// One argument: its entries' views point into `text`, so it is not copied.
struct CheckInput {
  CheckInput() = default;
  CheckInput(CheckInput&&) = default;
  CheckInput(const CheckInput&) = delete;

  std::string name;  // "rules.py", "-", "argument 2"
  bool is_rule = false;
  std::string text;
  std::vector<ir::RuleEntry> entries;
};

// Whether an argument is a rule and no file: it starts with '(' behind spaces, and no file is called so.
bool IsRule(const std::string& argument);

// Reads all arguments, in order. NotFound and others as ReadAll; InvalidArgument: there is no rule in one of them.
absl::StatusOr<std::vector<CheckInput>> ReadCheckInputs(const std::vector<std::string>& arguments);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_INPUT_H_
