#include "tests/rule_expectations.h"

#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/digest.h"
#include "proto/names.h"

namespace rewrought {
namespace {

constexpr const char* kFiles[] = {"flags",         "float_false", "float_true", "integer_false", "integer_true",
                                  "inexact_style", "matcher",     "modes",      "relations"};
constexpr absl::string_view kMark = "# expect: ";

// Returns the number of parts of `key` if all of them match the case, otherwise -1.
int Specificity(absl::string_view key, int width, ir::DenormMode mode, bool literals_exact) {
  int parts = 0;
  for (absl::string_view part : absl::StrSplit(key, '/')) {
    int number = 0;
    const bool fits = part == "exact"                   ? literals_exact
                      : absl::SimpleAtoi(part, &number) ? number == width
                                                        : part == ir::NameOf(mode);
    if (!fits) return -1;
    ++parts;
  }
  return parts;
}

}  // namespace

std::vector<ExpectedRule> ReadExpectedRules() {
  std::vector<ExpectedRule> rules;
  for (const char* file : kFiles) {
    std::ifstream input(absl::StrCat("tests/rules/", file, ".rules"));
    EXPECT_TRUE(input.good()) << file;
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) {
      if (line.empty() || line[0] == '#') continue;
      const size_t mark = line.find(std::string(kMark));
      if (mark == std::string::npos) {
        ADD_FAILURE() << file << ":" << number << ": no expectation";
        continue;
      }
      ExpectedRule rule{file, number, std::string(absl::StripAsciiWhitespace(line.substr(0, mark))), "", {}};
      for (absl::string_view word : absl::StrSplit(line.substr(mark + kMark.size()), ' ', absl::SkipEmpty())) {
        if (word == "--") break;
        const std::pair<std::string, std::string> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
        if (rule.expected.empty()) {
          rule.expected = parts.first;
        } else {
          rule.overrides.push_back(parts);
        }
      }
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

bool IsSampled(const ExpectedRule& rule, int divisor) { return ir::Digest::Of(rule.text).bytes[0] % divisor == 0; }

std::string ExpectedVerdict(const ExpectedRule& rule, int width, ir::DenormMode mode, bool literals_exact) {
  std::string expected = rule.expected;
  int best = 0;
  for (const auto& [key, verdict] : rule.overrides) {
    const int parts = Specificity(key, width, mode, literals_exact);
    if (parts < best || parts < 0) continue;
    best = parts;
    expected = verdict;
  }
  return expected;
}

Outcome Compare(const std::string& expected, v1::Verdict verdict) {
  if (absl::StartsWith(expected, "?")) return Outcome::kNotVerified;
  const absl::string_view got = v1::NameOf(verdict);
  if (got == expected) return Outcome::kAgrees;
  // This test verifies `~` rules strictly; another test checks that they are inexact.
  if (expected == "inexact" && verdict == v1::VERDICT_REFUTED) return Outcome::kAgrees;
  const bool unknown = verdict == v1::VERDICT_UNKNOWN;
  if (expected == "not_refuted") return unknown || verdict == v1::VERDICT_PROVED ? Outcome::kAgrees : Outcome::kWrong;
  return unknown ? Outcome::kUndecided : Outcome::kWrong;
}

}  // namespace rewrought
