// Proves every identity that the search over the reals uses, and compares its sides in the host's arithmetic.
#include "enumerator/reals/real_identities.h"

#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "ir/match/mesa_build.h"
#include "ir/text/rule_text.h"
#include "verifier/inexact/inexact.h"
#include "verifier/oracle/host_reals.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

constexpr uint64_t kVectors = 2000;

class RealIdentitiesTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
    ASSERT_TRUE(solvers.ok()) << solvers.status();
    solvers_ = *std::move(solvers);
  }

  verifier::InexactVerdict Verify(ir::Rule rule) {
    rule.search.nodes[rule.search.root].flags |= ir::kInexact;
    ir::BuildAsMesa(rule.search, &rule.replace);
    verifier::InexactOptions options;
    options.points = options.points_when_approximate = 64;
    const auto verdict =
        verifier::VerifyInexact({rule.search, rule.replace, ir::DenormMode::kAny}, solvers_.first(), options);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(verifier::InexactVerdict{});
  }

  verifier::Solvers solvers_;
};

TEST_F(RealIdentitiesTest, EachIsProved) {
  for (const ir::Rule& rule : enumerator::RealIdentities(32)) {
    const verifier::InexactVerdict verdict = Verify(rule);
    EXPECT_TRUE(verdict.reals_equal) << ir::PrintRule(rule) << ": " << verdict.reals;
  }
}

TEST_F(RealIdentitiesTest, TheHostAgrees) {
  for (const ir::Rule& rule : enumerator::RealIdentities(32)) {
    const verifier::OracleTally tally = verifier::CompareOverHostReals(rule.search, rule.replace, kVectors);
    EXPECT_EQ(tally.disagreed, 0u) << ir::PrintRule(rule);
    EXPECT_TRUE(!tally.covered || tally.agreed > 0) << ir::PrintRule(rule);
    if (!tally.covered) std::cout << "not covered: " << ir::PrintRule(rule) << "\n";
  }
}

TEST_F(RealIdentitiesTest, AWrongOneIsCaughtByBoth) {
  for (const char* const text : {
           "(('fmul@32', 'a@32', ('fadd@32', 'b@32', 0x3f800000@32)), ('fadd@32', ('fmul@32', 'a@32', 'b@32'), 'b'))",
           "(('fsqrt@32', ('fmul@32', 'a@32', 'a')), 'a@32')",
           "(('fmul@32', ('fexp2@32', 'a@32'), ('fexp2@32', 'b@32')), ('fexp2@32', ('fmul@32', 'a@32', 'b@32')))",
           "(('fmax@32', ('fmul@32', 'a@32', 'c@32'), ('fmul@32', 'b@32', 'c')), ('fmul@32', ('fmax@32', 'a@32', "
           "'b@32'), 'c@32'))",
           "(('ffloor@32', ('fadd@32', 'a@32', 'b@32')), ('fadd@32', ('ffloor@32', 'a@32'), ('ffloor@32', 'b@32')))",
       }) {
    const absl::StatusOr<ir::Rule> rule = ir::ParseRule(text);
    ASSERT_TRUE(rule.ok()) << rule.status();
    EXPECT_FALSE(Verify(*rule).reals_equal) << text;
    const verifier::OracleTally tally = verifier::CompareOverHostReals(rule->search, rule->replace, kVectors);
    EXPECT_TRUE(tally.covered) << text;
    EXPECT_GT(tally.disagreed, 0u) << text;
  }
}

}  // namespace
}  // namespace rewrought::pipeline
