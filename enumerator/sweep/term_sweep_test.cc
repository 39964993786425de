#include "enumerator/sweep/term_sweep.h"

#include <bit>
#include <set>

#include "gtest/gtest.h"
#include "ir/evaluate.h"
#include "ir/float_contract.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/text/rule_text.h"

namespace rewrought::enumerator {
namespace {

// Evaluates both sides on all inputs if there are few; otherwise returns a preset outcome.
class EvaluatingProver : public ProverInterface {
 public:
  ProofResult ProveCandidate(const ir::Term& search, const ir::Term& replace,
                             absl::Span<const ir::DenormMode>) override {
    ++asked;
    ir::Dag dag;
    const auto s = ir::LowerWithChoices(&dag, search, ir::DenormMode::kNone, 0);
    const auto t = ir::LowerWithChoices(&dag, replace, ir::DenormMode::kNone, 0);
    EXPECT_TRUE(s.ok() && t.ok());
    int bits = 0;
    for (const ir::Input& input : dag.inputs()) bits += input.width;
    EXPECT_LE(bits, 12);
    for (uint64_t point = 0; point < (uint64_t{1} << bits); ++point) {
      std::vector<uint64_t> inputs;
      uint64_t rest = point;
      for (const ir::Input& input : dag.inputs())
        inputs.push_back(rest & ir::MaskOf(input.width)), rest >>= input.width;
      const auto x = ir::AllowedResults(dag, *s, inputs, 2), y = ir::AllowedResults(dag, *t, inputs, 2);
      if (x.results[0][0].value != y.results[0][0].value) return {Outcome::kRefuted, {}, ""};
    }
    return {always_unknown ? Outcome::kUnknown : Outcome::kProved, {}, ""};
  }
  int asked = 0;
  bool always_unknown = false;
};

SweepOptions OptionsFor(const std::vector<const char*>& ops, int variables, int size, int width) {
  SweepOptions options;
  for (const char* op : ops) options.ops.push_back(ir::FindOp(op));
  options.variables = variables;
  options.max_size = size;
  options.width = width;
  return options;
}

std::set<std::string> Texts(const SweepResult& result) {
  std::set<std::string> texts;
  for (const SweepRule& rule : result.rules) {
    texts.insert(ir::PrintTerm(rule.search) + " -> " + ir::PrintTerm(rule.replace));
  }
  return texts;
}

// With at most two ops of {and, not, or, xor}, there are 59 distinct functions of three Booleans, and with at most
// three ops, there are 171 (as counted by cvc5 1.0.3's rewrite rule enumeration, --sygus-rr-synth).
TEST(TermSweep, CountsFunctionsOfBooleans) {
  EvaluatingProver prover;
  for (const auto& [size, functions] : {std::pair(2, 59u), std::pair(3, 171u)}) {
    const auto result = SweepTerms(OptionsFor({"iand", "inot", "ior", "ixor"}, 3, size, 1), &prover);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->run_statistics.distinct, functions);
    EXPECT_TRUE(result->complete);
    EXPECT_TRUE(result->exhaustive);
    EXPECT_EQ(result->run_statistics.candidates, result->derived + result->run_statistics.general);
    EXPECT_EQ(result->run_statistics.minimal, result->rules.size());
    EXPECT_LE(result->run_statistics.minimal, result->run_statistics.general);
    EXPECT_GT(result->run_statistics.minimal, 5u);
  }
}

TEST(TermSweep, FindsEachRuleOnce) {
  EvaluatingProver prover;
  const auto result = SweepTerms(OptionsFor({"iand", "inot"}, 2, 2, 4), &prover);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Texts(*result),
            (std::set<std::string>{"('iand@4', 'a@4', 'a') -> 'a@4'",
                                   "('iand@4', 'a@4', ('iand@4', 'a', 'b@4')) -> ('iand@4', 'a@4', 'b@4')",
                                   // Both sides are zero, and no shorter term in this sweep is zero.
                                   "('iand@4', 'b@4', ('inot@4', 'b')) -> ('iand@4', 'a@4', ('inot@4', 'a'))",
                                   "('inot@4', ('inot@4', 'a@4')) -> 'a@4'"}));
}

// The rules alone derive the representative of every term. Most of the rules are needed for this.
TEST(TermSweep, RemainingRulesDeriveDroppedRules) {
  EvaluatingProver prover;
  SweepOptions options = OptionsFor({"iand", "inot", "ior", "ixor"}, 3, 3, 1);
  const auto result = SweepTerms(options, &prover);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->underived, 0u);
  EXPECT_LE(result->rules.size(), 28u);  // Ruler publishes 28 rules for this set.
  for (const SweepRule& rule : result->rules) options.others.emplace_back(rule.search, rule.replace);
  const auto same = SweepTerms(options, &prover);
  EXPECT_EQ(same->not_from_others, std::vector<size_t>());
  EXPECT_EQ(same->others_not_known, std::vector<size_t>());
  size_t needed = 0;
  for (size_t left_out = 0; left_out < result->rules.size(); ++left_out) {
    SweepOptions without = options;
    without.others.erase(without.others.begin() + static_cast<ptrdiff_t>(left_out));
    const std::vector<size_t> missed = SweepTerms(without, &prover)->not_from_others;
    EXPECT_TRUE(missed.empty() || missed == std::vector<size_t>{left_out}) << left_out;
    needed += missed.size();
  }
  // At least 80 % of the rules are needed. A rule may be unnecessary because it follows from later rules in more steps
  // than the sweep tries.
  EXPECT_GE(needed * 10, result->rules.size() * 8);
}

TEST(TermSweep, OthersWrongRulesDoNotFollow) {
  EvaluatingProver prover;
  SweepOptions options = OptionsFor({"iand", "inot", "ior"}, 2, 2, 1);
  const auto pair = [](const char* search, const char* replace) {
    return std::pair(*ir::ParseTerm(search), *ir::ParseTerm(replace));
  };
  options.others = {pair("('iand@1', 'b@1', 'b')", "'b@1'"), pair("('iand@1', 'a@1', 'b@1')", "'a@1'"),
                    pair("('inot@1', ('inot@1', ('inot@1', 'a@1')))", "('inot@1', 'a@1')")};
  const auto result = SweepTerms(options, &prover);
  ASSERT_TRUE(result.ok()) << result.status();
  // A rule over terms larger than those of the sweep may still follow, if its parts do.
  EXPECT_EQ(result->others_not_known, std::vector<size_t>{1});
  options.others = {pair("('ixor@1', 'a@1', 'a')", "'a@1'")};
  EXPECT_FALSE(SweepTerms(options, &prover).ok());
}

TEST(TermSweep, ConstantsTakePart) {
  EvaluatingProver prover;
  SweepOptions options = OptionsFor({"iadd"}, 1, 1, 4);
  options.constants = {{false, 0}, {false, -1}, {false, 16}};  // 16 is 0 in 4 bits.
  const auto result = SweepTerms(options, &prover);
  ASSERT_TRUE(result.ok()) << result.status();
  bool found = false;
  for (const SweepRule& rule : result->rules)
    found = found || (rule.search_ops == 1 && rule.replace_ops == 0 && rule.replace.root_node().name == "a");
  EXPECT_TRUE(found);
  EXPECT_EQ(result->run_statistics.distinct, 3u + 3u);  // a, 0, -1; a+a, a-1, -2
}

TEST(TermSweep, WhatIsNotProvedIsNoRule) {
  EvaluatingProver prover;
  prover.always_unknown = true;
  const auto result = SweepTerms(OptionsFor({"iand", "inot"}, 2, 2, 4), &prover);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->rules.empty());
  EXPECT_EQ(result->run_statistics.proved, 0u);
  EXPECT_GT(result->run_statistics.unknown, 0u);
  EXPECT_EQ(result->run_statistics.unknown, static_cast<uint64_t>(prover.asked));
}

TEST(TermSweep, StopsAndKeepsWhatItHas) {
  EvaluatingProver prover;
  std::stop_source stop;
  SweepOptions options = OptionsFor({"iand", "inot", "ior", "ixor"}, 3, 3, 1);
  options.stop = stop.get_token();
  options.progress = [&](const RunStatistics& run_statistics, int) {
    if (run_statistics.proved >= 5) stop.request_stop();
  };
  const auto result = SweepTerms(options, &prover);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->complete);
  EXPECT_GE(result->rules.size(), 1u);
  EXPECT_LE(result->rules.size(), 6u);
  options.stop = {};
  options.progress = nullptr;
  options.max_bytes = 1000;
  EXPECT_FALSE(SweepTerms(options, &prover)->complete);
}

TEST(TermSweep, RefusesWhatDoesNotFit) {
  EvaluatingProver prover;
  EXPECT_FALSE(SweepTerms(OptionsFor({"fadd"}, 2, 2, 8), &prover).ok());
  EXPECT_FALSE(SweepTerms(OptionsFor({"iadd"}, 9, 2, 8), &prover).ok());
  EXPECT_FALSE(SweepTerms(OptionsFor({"iadd"}, 2, 2, 64), &prover).ok());
  EXPECT_FALSE(SweepTerms(OptionsFor({}, 2, 2, 8), &prover).ok());
  SweepOptions options = OptionsFor({"iadd"}, 2, 2, 8);
  options.constants = {{true, std::bit_cast<int64_t>(1.0)}};
  EXPECT_FALSE(SweepTerms(options, &prover).ok());
}

TEST(TermSweep, TermsKeepTheirConstantsAtOtherWidths) {
  const ir::Term term = InSize(*ir::ParseTerm("('iadd@4', 'a@4', 'b@4')"), 4, 32);
  EXPECT_EQ(ir::PrintTerm(term), "('iadd@32', 'a@32', 'b@32')");
}

}  // namespace
}  // namespace rewrought::enumerator
