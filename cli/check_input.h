// Reads the rules that the arguments of `rewrought check` specify as text, as files, or as standard input.
#ifndef REWROUGHT_CLI_CHECK_INPUT_H_
#define REWROUGHT_CLI_CHECK_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/text/rule_text.h"

namespace rewrought::cli {

// An argument of `rewrought check` and the rules that it contains. Not copyable, because the views in `entries` point
// into `text`.
struct CheckInput {
  CheckInput() = default;
  CheckInput(CheckInput&&) = default;
  CheckInput(const CheckInput&) = delete;

  std::string name;  // such as "rules.py", "-", or "argument 2"
  bool is_rule = false;
  std::string text;
  std::vector<ir::RuleEntry> entries;
};

// Returns whether the argument is a rule or a list of rules, rather than a file name: it starts with '(' or '[', and no
// file has that name.
bool IsRule(const std::string& argument);

// Reads all arguments in order; `find` resolves the names of ops. Returns the errors of ReadInput, and InvalidArgument
// if an argument contains no rule.
absl::StatusOr<std::vector<CheckInput>> ReadCheckInputs(const std::vector<std::string>& arguments,
                                                        ir::OpResolver find = &ir::FindOp);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_INPUT_H_
