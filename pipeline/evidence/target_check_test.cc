#include "pipeline/evidence/target_check.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "emitter/testing/sample_rules.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {
namespace {

using emitter::FindNirTarget;
using emitter::ProvedRule;
using emitter::SampleInexact;
using emitter::SampleRule;

const emitter::NirTarget& k25 = **FindNirTarget("mesa-25.0");
const emitter::NirTarget& k26 = **FindNirTarget("mesa-26.2");

absl::Status Check(const ProvedRule& rule, const emitter::NirTarget& target) {
  static const verifier::Solvers& solvers = *new verifier::Solvers(*verifier::OpenSolvers({}));
  return CheckForTarget(rule.entry, target, "ir3_a6xx", verifier::Prover(solvers, {}));
}

TEST(TargetCheck, ARuleThatHoldsInBothDialects) {
  const ProvedRule rule = SampleRule("('iadd', ('iadd', 'a@32', 1), 2)", "('iadd', 'a', 3)");
  EXPECT_TRUE(Check(rule, k25).ok());
  EXPECT_TRUE(Check(rule, k26).ok()) << Check(rule, k26);
}

// These rules hold in nir-25, but not in nir-26 (Mesa 26.2.0-rc1): no matched node of the first has preserve_sz, so the
// zero of b2f32 may be -0.0, and bcsel has no flags, so nsz has no effect on it (nir.h:1541-1606).
TEST(TargetCheck, ARuleThatNewerTreesGiveAnotherMeaning) {
  for (const ProvedRule& rule : {SampleRule("('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000)", "('b2f32', a)"),
                                 SampleRule("('bcsel(nsz)', ('feq', 'a@32', 0.0), 0.0, a)", "a")}) {
    EXPECT_TRUE(Check(rule, k25).ok());
    const absl::Status in_26 = Check(rule, k26);
    EXPECT_TRUE(absl::IsFailedPrecondition(in_26)) << in_26;
    EXPECT_TRUE(absl::StrContains(in_26.message(), "refuted in nir-26, the dialect of mesa-26.2: ")) << in_26;
    EXPECT_TRUE(absl::StrContains(in_26.message(), rule.entry.rule().search().substr(0, 6))) << in_26;
  }
}

TEST(TargetCheck, AnInexactRuleMustHoldOverTheReals) {
  EXPECT_TRUE(
      Check(SampleInexact("('~fmul', ('fmul', 'a@32', 'b'), 'c')", "('fmul', 'a', ('fmul', 'b', 'c'))"), k26).ok());
  const absl::Status wrong = Check(SampleInexact("('~fadd', 'a@32', 1.0)", "('fadd', 'a', 2.0)"), k26);
  EXPECT_TRUE(absl::IsFailedPrecondition(wrong)) << wrong;
}

TEST(TargetCheck, ATreeWithoutAnOpOfTheRule) {
  const absl::Status status = Check(SampleRule("('ushr', 'a@32', 16)", "('umul_low', ('ushr', 'a', 16), 1)"), k26);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "mesa-26.2 has no op umul_low")) << status;
}

}  // namespace
}  // namespace rewrought::pipeline
