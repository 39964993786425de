// Generalizes special rules whose general rule is known, and counts how often the tool finds it, or a rule that covers
// it. If GENERALIZATION_REPORT is set, writes one line per special rule to that file, with the columns of
// docs/results/generalization.tsv.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "pipeline/generalize/coverage.h"
#include "pipeline/generalize/generalize.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought {
namespace {

// The share of special rules for which the tool must find the general rule, in percent.
constexpr size_t kLeastFound = 90;
constexpr size_t kThreads = 2;

struct Special {
  ir::Rule rule;
  std::vector<ir::Rule> general;  // the rules of its group
};

struct Outcome {
  bool found = false;
  double seconds = 0;
  std::string general;  // the rule that the tool found, or its error
};

std::vector<Special> ReadBenchmark(const std::string& path) {
  std::vector<Special> specials;
  std::ifstream file(path);
  std::vector<ir::Rule> general;
  size_t first = 0;  // the index of the group's first special rule
  const auto end_group = [&] {
    for (; first < specials.size(); ++first) specials[first].general = general;
    general.clear();
  };
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    absl::string_view text = line;
    const bool is_general = absl::ConsumePrefix(&text, "general ");
    if (!is_general && !absl::ConsumePrefix(&text, "special ")) {
      end_group();
      continue;
    }
    absl::StatusOr<ir::Rule> rule = ir::ParseRule(text, number);
    EXPECT_TRUE(rule.ok()) << rule.status();
    if (!rule.ok()) continue;
    if (is_general) {
      general.push_back(*std::move(rule));
    } else {
      specials.push_back({*std::move(rule), {}});
    }
  }
  end_group();
  return specials;
}

class BenchmarkTest : public testing::Test {
 protected:
  static verifier::Prover MakeProver() { return {*verifier::OpenSolvers({.workers = kThreads}), {}}; }

  static Outcome Run(const verifier::Prover& prover, const Special& special) {
    const auto start = std::chrono::steady_clock::now();
    const absl::StatusOr<pipeline::GeneralizedRule> result = pipeline::Generalize(prover, special.rule, {});
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!result.ok()) {
      outcome.general = std::string(result.status().message());
      return outcome;
    }
    outcome.general = ir::DisplayRule(result->members[0]);
    outcome.found = std::all_of(special.general.begin(), special.general.end(),
                                [&](const ir::Rule& wanted) { return pipeline::Covers(result->members, wanted, {}); });
    return outcome;
  }
};

TEST_F(BenchmarkTest, GeneralRulesHoldAndCoverTheSpecialOnes) {
  const verifier::Prover prover = MakeProver();
  std::set<int> verified;
  for (const Special& special : ReadBenchmark("tests/generalize/benchmark.rules")) {
    EXPECT_TRUE(pipeline::Covers(special.general, special.rule, {})) << ir::DisplayRule(special.rule);
    for (const ir::Rule& general : special.general) {
      if (!verified.insert(general.line).second) continue;
      const absl::StatusOr<verifier::RuleVerdict> verdict = verifier::CheckRule(prover, general, {});
      ASSERT_TRUE(verdict.ok()) << verdict.status();
      EXPECT_EQ(verdict->verdict, v1::VERDICT_PROVED) << ir::DisplayRule(general);
    }
  }
}

TEST_F(BenchmarkTest, FindsTheGeneralRules) {
  const std::vector<Special> specials = ReadBenchmark("tests/generalize/benchmark.rules");
  ASSERT_GE(specials.size(), 100u);
  const verifier::Prover prover = MakeProver();
  std::vector<Outcome> outcomes(specials.size());
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < specials.size(); i = next++) outcomes[i] = Run(prover, specials[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  size_t found = 0;
  std::string report = "line\tfound\tseconds\tspecial\tgeneral\n";
  for (size_t i = 0; i < specials.size(); ++i) {
    found += outcomes[i].found;
    absl::StrAppend(&report, specials[i].rule.line, "\t", outcomes[i].found ? "yes" : "no", "\t",
                    absl::SixDigits(outcomes[i].seconds), "\t", ir::DisplayRule(specials[i].rule), "\t",
                    outcomes[i].general, "\n");
  }
  if (const char* path = std::getenv("GENERALIZATION_REPORT")) std::ofstream(path) << report;
  EXPECT_GE(found * 100, specials.size() * kLeastFound) << report;
}

}  // namespace
}  // namespace rewrought
