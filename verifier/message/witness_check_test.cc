#include "verifier/message/witness_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

// Returns the witness that the prover finds without a solver.
v1::Witness WitnessOf(const RuleCase& rule_case) {
  const CaseResult result = Prover({}, ProverOptions{}).Prove(rule_case);
  EXPECT_EQ(result.verdict, v1::VERDICT_REFUTED);
  return CaseProto(rule_case.search, rule_case.mode, result, "").witness();
}

TEST(CheckWitness, AcceptsWhatTheProverFinds) {
  for (const char* rule : {"(('iadd', 'a@32', 'b@32'), ('isub', 'a', 'b'))", "(('fadd', 'a@32', 0.0), 'a')",
                           "(('fmul', 'a@16', 'b@16'), ('fmul', 'a', ('fabs', 'b')))"}) {
    const RuleCase rule_case = CaseOf(rule, 0, ir::DenormMode::kFlush);
    EXPECT_TRUE(CheckWitness(rule_case, WitnessOf(rule_case)).ok())
        << rule << CheckWitness(rule_case, WitnessOf(rule_case));
  }
}

TEST(CheckWitness, RefusesAnAlteredWitness) {
  const RuleCase rule_case =
      CaseOf("(('iadd', 'a@32', 'b@32(is_not_zero)'), ('isub', 'a', 'b'))", 0, ir::DenormMode::kNone);
  const v1::Witness good = WitnessOf(rule_case);
  ASSERT_TRUE(CheckWitness(rule_case, good).ok()) << CheckWitness(rule_case, good);
  const auto code = [&](const std::function<void(v1::Witness*)>& alter) {
    v1::Witness altered = good;
    alter(&altered);
    return CheckWitness(rule_case, altered).code();
  };
  using W = v1::Witness*;
  constexpr auto kWrong = absl::StatusCode::kFailedPrecondition, kMalformed = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code([](W w) { w->set_replace("0x00012345"); }), kWrong);
  EXPECT_EQ(code([](W w) { w->set_search(0, "0x12345678"); }), kWrong);
  EXPECT_EQ(code([](W w) { w->add_search("any"); }), kWrong);
  EXPECT_EQ(code([](W w) { w->set_search_incomplete(true); }), kWrong);
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["a"] = "0x0badcafe"; }), kWrong);
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["b"] = "0x00000000"; }), kWrong);  // violates the precondition
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["b"] = "0x80000000"; }), kWrong);  // both sides agree
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["a"] = "0x123456789"; }), kMalformed);
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["a"] = "1"; }), kMalformed);
  EXPECT_EQ(code([](W w) { (*w->mutable_vars())["c"] = "0x00000000"; }), kMalformed);
  EXPECT_EQ(code([](W w) { w->mutable_vars()->erase("a"); }), kMalformed);
  EXPECT_EQ(code([](W w) { w->add_replace_choices(1); }), kMalformed);
  EXPECT_EQ(code([](W w) { w->Clear(); }), kMalformed);
}

}  // namespace
}  // namespace rewrought::verifier
