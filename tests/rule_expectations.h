// Reads tests/rules/*.rules: rules and their expected verdicts (tests/rules/README.md).
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
  std::vector<std::pair<std::string, std::string>> overrides;  // KEY and VERDICT, in order
};

// Reads all rules of tests/rules in the order of files and lines. Fails the test if a rule has no expectation.
std::vector<ExpectedRule> ReadExpectedRules();

// Returns whether `rule` belongs to the sample of about one rule in `divisor`. The choice depends only on the rule's
// text, so adding or removing other rules does not change it.
bool IsSampled(const ExpectedRule& rule, int divisor);

// Returns the expected verdict of a case of width `width` in `mode`.
std::string ExpectedVerdict(const ExpectedRule& rule, int width, ir::DenormMode mode, bool literals_exact);

// The result of comparing a verdict with the expectation.
enum class Outcome {
  kAgrees,
  kUndecided,    // expected proved or refuted, but got unknown
  kWrong,        // any other difference
  kNotVerified,  // the expectation is "?"
};
Outcome Compare(const std::string& expected, v1::Verdict verdict);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_RULE_EXPECTATIONS_H_
