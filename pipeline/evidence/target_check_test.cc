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

ModesForTarget Check(const ProvedRule& rule, const emitter::NirTarget& target, bool confirm = true) {
  static const verifier::Solvers& solvers = *new verifier::Solvers(*verifier::OpenSolvers({}));
  const auto modes = CheckForTarget({&rule.entry}, target, "ir3_a6xx", confirm ? solvers : solvers.FirstAlone(), {});
  EXPECT_TRUE(modes.ok()) << modes.status();
  return modes->at(0);
}

TEST(TargetCheck, ARuleThatHoldsInBothDialects) {
  const ProvedRule rule = SampleRule("('ixor', ('ior', 'a@32', 'b@32'), ('iand', 'a', 'b'))", "('ixor', 'a', 'b')");
  EXPECT_EQ(Check(rule, k25).reason, "");
  EXPECT_EQ(Check(rule, k26).reason, "");
  EXPECT_FALSE(Check(rule, k26).hold.empty());
  // A proof by one solver is not enough.
  EXPECT_TRUE(Check(rule, k26, false).hold.empty());
  EXPECT_TRUE(absl::StrContains(Check(rule, k26, false).reason, "no second solver confirmed it in nir-26"));
}

// In nir-26, the results of a shader that flushes must be flushed, so a denormal differs from its double negation. In
// nir-25, they may be flushed.
TEST(TargetCheck, ARuleThatHoldsInSomeModes) {
  const ModesForTarget modes = Check(SampleRule("('fneg', ('fneg', 'a@32'))", "a"), k26);
  EXPECT_TRUE(modes.hold.contains(v1::DENORM_MODE_PRESERVE)) << modes.reason;
  EXPECT_TRUE(modes.fail.contains(v1::DENORM_MODE_FLUSH)) << modes.reason;
  EXPECT_TRUE(absl::StrContains(modes.reason, "refuted in nir-26, the dialect of mesa-26.2, in mode ")) << modes.reason;
}

// These rules hold in nir-25, but not in nir-26 (Mesa 26.2.0-rc1): in the first, no matched node has preserve_sz, so
// the zero of b2f32 may be -0.0; in the second, bcsel has no flags, so nsz has no effect on it (nir.h:1541-1606).
TEST(TargetCheck, ARuleThatNewerTreesGiveAnotherMeaning) {
  for (const ProvedRule& rule : {SampleRule("('iand', ('ineg', ('b2i32', 'a@1')), 0x3f800000)", "('b2f32', a)"),
                                 SampleRule("('bcsel(nsz)', ('feq', 'a@32', 0.0), 0.0, a)", "a")}) {
    EXPECT_TRUE(Check(rule, k25).fail.empty());
    const ModesForTarget in_26 = Check(rule, k26);
    EXPECT_TRUE(in_26.hold.empty()) << in_26.reason;
    EXPECT_TRUE(absl::StrContains(in_26.reason, rule.entry.rule().search().substr(0, 6))) << in_26.reason;
  }
}

TEST(TargetCheck, AnInexactRuleMustHoldOverTheReals) {
  const ProvedRule right = SampleInexact("('~fmul', ('fmul', 'a@32', 'b'), 'c')", "('fmul', 'a', ('fmul', 'b', 'c'))");
  EXPECT_EQ(Check(right, k26).reason, "");
  EXPECT_TRUE(Check(SampleInexact("('~fadd', 'a@32', 1.0)", "('fadd', 'a', 2.0)"), k26).hold.empty());
}

TEST(TargetCheck, ATreeWithoutAnOpOfTheRule) {
  const ModesForTarget modes = Check(SampleRule("('ushr', 'a@32', 16)", "('umul_low', ('ushr', 'a', 16), 1)"), k26);
  EXPECT_TRUE(modes.hold.empty());
  EXPECT_TRUE(absl::StrContains(modes.reason, "mesa-26.2 has no op umul_low")) << modes.reason;
}

}  // namespace
}  // namespace rewrought::pipeline
