// Reads tests/rules/*.rules: rules with the verdicts that they must get (tests/rules/README.md).
#ifndef REWROUGHT_TESTS_RULE_EXPECTATIONS_H_
#define REWROUGHT_TESTS_RULE_EXPECTATIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "verifier/rule_check.h"

namespace rewrought {

struct ExpectedRule {
  std::string file;
  int line = 0;
  std::string text;                                            // without the comment
  std::string expected;                                        // the first word after "expect:"
  std::vector<std::pair<std::string, std::string>> overrides;  // KEY, VERDICT in order
};

// All lines of tests/rules, in order of file and line. Fails the test for a rule without an expectation.
std::vector<ExpectedRule> ReadExpectedRules();

// What a case of width `width` in `mode` must get.
std::string ExpectedVerdict(const ExpectedRule& rule, int width, ir::DenormMode mode, bool literals_exact);

// How a verdict compares with what was expected.
enum class Outcome {
  kAgrees,
  kUndecided,    // proved or refuted was expected, unknown came
  kWrong,        // any other difference
  kNotVerified,  // the expectation is "?"
};
Outcome Compare(const std::string& expected, v1::Verdict verdict);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_RULE_EXPECTATIONS_H_
