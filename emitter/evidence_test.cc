#include "emitter/evidence.h"

#include <gtest/gtest.h>

#include "emitter/testing/sample_rules.h"

namespace rewrought::emitter {
namespace {

v1::PackEntry Entry() { return SampleRule("('iand', 'a@32', 'a')", "'a'").entry; }

std::string Missing(const v1::PackEntry& entry, bool require_confirmations = true) {
  return std::string(CheckEvidence(entry, require_confirmations).message());
}

TEST(Evidence, IsComplete) { EXPECT_EQ(Missing(Entry()), ""); }

TEST(Evidence, OfAClassAndAlive) {
  v1::PackEntry entry = Entry();
  entry.mutable_rule()->set_rule_class(v1::RULE_CLASS_UNSPECIFIED);
  EXPECT_EQ(Missing(entry, false), "its class is neither strict nor inexact");
  for (const v1::RuleState state : {v1::RULE_STATE_REFUTED, v1::RULE_STATE_LOST}) {
    entry = Entry();
    entry.mutable_rule()->set_state(state);
    EXPECT_EQ(Missing(entry, false), "refuted or lost since it was found");
  }
}

TEST(Evidence, VectorsProveNothingStrict) {
  v1::PackEntry entry = Entry();
  entry.mutable_proofs(0)->set_tier(v1::TIER_VECTORS);
  EXPECT_EQ(Missing(entry, false), "test vectors alone are not a proof");
  entry.mutable_rule()->set_rule_class(v1::RULE_CLASS_INEXACT);
  EXPECT_EQ(Missing(entry, false), "");
}

TEST(Evidence, BothAxesAndAMutantAreAskedFor) {
  v1::PackEntry entry = Entry();
  entry.mutable_confirmations()->DeleteSubrange(0, 1);
  EXPECT_EQ(Missing(entry), "neither a second solver nor an exhaustive check confirmed it");
  EXPECT_EQ(Missing(entry, false), "");
  entry = Entry();
  entry.mutable_confirmations(1)->set_vectors(kConfirmingVectors - 1);
  EXPECT_EQ(Missing(entry), "not confirmed by another encoding on 100000 vectors");
  entry.mutable_confirmations(1)->set_vectors(kConfirmingVectors);
  EXPECT_EQ(Missing(entry), "");
  entry.mutable_mutants()->set_refuted(0);
  EXPECT_EQ(Missing(entry), "none of its mutants was refuted");
}

TEST(Evidence, ExhaustionStandsForTheSecondSolver) {
  v1::PackEntry entry = Entry();
  entry.mutable_confirmations()->DeleteSubrange(0, 1);
  for (v1::CaseVerdict& proof : *entry.mutable_proofs()) proof.set_tier(v1::TIER_EXHAUSTIVE);
  EXPECT_EQ(Missing(entry), "");
}

TEST(ProofLine, NamesTiersWidthsModesAndSites) {
  EXPECT_EQ(ProofLine(Entry()),
            "proved (uf) at 32; confirmed by cvc5 1.0.3, host float unit; 12 hits in 3 shaders held out, 24 cycles "
            "saved");
  v1::PackEntry floats = SampleRule("('fneg', ('fneg', 'a'))", "'a'").entry;
  floats.clear_confirmations();
  floats.mutable_rule()->clear_measurements();
  EXPECT_EQ(ProofLine(floats), "proved (uf) at 16 32 64 in any flush preserve");
  floats.mutable_rule()->set_rule_class(v1::RULE_CLASS_INEXACT);
  EXPECT_EQ(ProofLine(floats), "equal over the reals only");
}

TEST(ProofLine, NothingEndsTheLine) {
  v1::PackEntry entry = Entry();
  entry.mutable_confirmations(0)->set_by("x\n\xff");
  EXPECT_NE(ProofLine(entry).find("confirmed by host float unit, x??;"), std::string::npos) << ProofLine(entry);
}

}  // namespace
}  // namespace rewrought::emitter
