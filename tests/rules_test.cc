// Tests that each rule of tests/rules gets its hand-derived verdict. Fails if a false rule is proved or a true one is
// refuted; counts undecided cases. If REWROUGHT_ALL_RULES is set, verifies every case in every mode with full budgets;
// otherwise, verifies about every fifth rule with small budgets.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "ir/text/rule_text.h"
#include "proto/names.h"
#include "tests/rule_expectations.h"
#include "verifier/rule_check.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought {
namespace {

#ifdef REWROUGHT_ALL_RULES
constexpr int kDivisor = 1;
constexpr double kTimeoutScale = 1.0;
constexpr bool kSecondSolver = true;
constexpr double kMaxUndecided = 0.03;  // the largest permitted share of undecided cases
#else
constexpr int kDivisor = 5;
constexpr double kTimeoutScale = 0.25;
constexpr bool kSecondSolver = false;
constexpr double kMaxUndecided = 0.06;
#endif
constexpr int kThreads = 2;

struct Counts {
  std::mutex mutex;
  int rules = 0, cases = 0, agree = 0, undecided = 0, wrong = 0, not_verified = 0;
};

void VerifyRule(const ExpectedRule& expected, const verifier::Prover& prover, bool literals_exact, Counts* counts) {
  const std::string place = absl::StrCat(expected.file, ".rules:", expected.line, ": ", expected.text);
  const absl::StatusOr<ir::Rule> rule = ir::ParseRule(expected.text);
  verifier::RuleCheckOptions options;
  options.modes = {ir::DenormMode::kAny, ir::DenormMode::kPreserve, ir::DenormMode::kFlush};
  options.literals_exact = literals_exact;
  options.unnamed_flags = expected.file == "matcher";  // in the other files, the verdicts are for the rules as written
  absl::StatusOr<verifier::RuleVerdict> verdict;
  if (rule.ok()) {
    verdict = verifier::CheckRule(prover, *rule, options);
  } else {
    verdict = rule.status();
  }
  const std::lock_guard<std::mutex> lock(counts->mutex);
  ++counts->rules;
  const bool error = expected.expected == "error";
  if (error || !verdict.ok()) {
    // "?" means no expectation; the rule may even be malformed.
    EXPECT_TRUE(expected.expected == "?" || error == !verdict.ok()) << place << ": " << verdict.status().message();
    return;
  }
  EXPECT_FALSE(verdict->cases.empty()) << place;
  for (const verifier::CheckedCase& checked : verdict->cases) {
    const std::string wanted = ExpectedVerdict(expected, checked.width, checked.mode, literals_exact);
    const std::string what =
        absl::StrCat(place, " @", checked.width, " ", std::string(ir::NameOf(checked.mode)), ": expected ", wanted,
                     ", got ", std::string(v1::NameOf(checked.result.verdict)), " ", checked.result.reason);
    ++counts->cases;
    switch (Compare(wanted, checked.result.verdict)) {
      case Outcome::kAgrees:
        ++counts->agree;
        break;
      case Outcome::kUndecided:
        ++counts->undecided;
        std::cout << "undecided: " << what << "\n";
        break;
      case Outcome::kWrong:
        ++counts->wrong;
        ADD_FAILURE() << what;
        break;
      case Outcome::kNotVerified:
        ++counts->not_verified;
        break;
    }
    EXPECT_EQ(checked.result.verdict == v1::VERDICT_REFUTED, checked.result.witness.has_value()) << what;
  }
}

void VerifyAll(const std::vector<ExpectedRule>& rules, bool literals_exact, Counts* counts) {
  const absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({.workers = kThreads});
  ASSERT_TRUE(solvers.ok()) << solvers.status().message();
  verifier::ProverOptions options;
  options.budget_scale = kTimeoutScale;
  options.keep_query = false;
  const verifier::Prover prover(kSecondSolver ? *solvers : solvers->FirstAlone(), options);
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (size_t r = next++; r < rules.size(); r = next++) VerifyRule(rules[r], prover, literals_exact, counts);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << counts->rules << " rules, " << counts->cases << " cases: " << counts->agree << " as expected, "
            << counts->undecided << " undecided, " << counts->wrong << " wrong, " << counts->not_verified
            << " not verified\n";
}

TEST(Rules, VerdictsAreThoseDerivedByHand) {
  std::vector<ExpectedRule> rules;
  for (const ExpectedRule& rule : ReadExpectedRules()) {
    // Each rule of matcher.rules either was once exported and miscompiled shaders, or is the closest correct variant of
    // such a rule.
    if (IsSampled(rule, kDivisor) || rule.file == "matcher") rules.push_back(rule);
  }
  ASSERT_GT(rules.size() * kDivisor, 300u);
  Counts counts;
  VerifyAll(rules, false, &counts);
  EXPECT_LE(counts.undecided, counts.cases * kMaxUndecided);
}

// Tests rules whose verdicts depend on matching zeros exactly.
TEST(Rules, ExactLiteralsChangeVerdicts) {
  std::vector<ExpectedRule> rules;
  for (const ExpectedRule& rule : ReadExpectedRules()) {
    const bool exact = std::any_of(rule.overrides.begin(), rule.overrides.end(),
                                   [](const auto& entry) { return entry.first.find("exact") != std::string::npos; });
    if (exact) rules.push_back(rule);
  }
  ASSERT_GE(rules.size(), 2u);
  Counts counts;
  VerifyAll(rules, true, &counts);
  EXPECT_EQ(counts.undecided, 0);
}

TEST(Expectations, TheMostSpecificKeyWins) {
  const ExpectedRule rule{
      "", 0, "", "proved", {{"16", "a"}, {"flush", "b"}, {"16/flush", "c"}, {"exact", "d"}, {"exact/16", "e"}}};
  EXPECT_EQ(ExpectedVerdict(rule, 32, ir::DenormMode::kAny, false), "proved");
  EXPECT_EQ(ExpectedVerdict(rule, 16, ir::DenormMode::kAny, false), "a");
  EXPECT_EQ(ExpectedVerdict(rule, 32, ir::DenormMode::kFlush, false), "b");
  EXPECT_EQ(ExpectedVerdict(rule, 16, ir::DenormMode::kFlush, false), "c");
  EXPECT_EQ(ExpectedVerdict(rule, 32, ir::DenormMode::kFlush, true), "d");
  EXPECT_EQ(ExpectedVerdict(rule, 16, ir::DenormMode::kFlush, true), "e");
  EXPECT_EQ(Compare("proved", v1::VERDICT_REFUTED), Outcome::kWrong);
  EXPECT_EQ(Compare("refuted", v1::VERDICT_PROVED), Outcome::kWrong);
  EXPECT_EQ(Compare("not_refuted", v1::VERDICT_REFUTED), Outcome::kWrong);
  EXPECT_EQ(Compare("vacuous", v1::VERDICT_PROVED), Outcome::kWrong);
  EXPECT_EQ(Compare("inexact", v1::VERDICT_PROVED), Outcome::kWrong);
  EXPECT_EQ(Compare("proved", v1::VERDICT_UNKNOWN), Outcome::kUndecided);
}

}  // namespace
}  // namespace rewrought
