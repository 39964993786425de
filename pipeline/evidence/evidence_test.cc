// Tests that a rule is trusted only if this installation verified it. If the verdicts of a true rule are copied to a
// false rule, the false rule is neither merged nor exported. The verification of a pack reports claims that do not
// follow from its rules.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "emitter/nir/nir_target.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "emitter/verify.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "machine/semantics.h"
#include "pipeline/evidence/certificate_files.h"
#include "pipeline/evidence/merge_verified.h"
#include "pipeline/evidence/pack_verifier.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/rule_message.h"
#include "pipeline/testing/evidence_testing.h"
#include "store/rule_store.h"
#include "store/verified_store.h"

namespace rewrought::pipeline {
namespace {

// A solver that returns the same answer to every query.
class Answering : public verifier::Solver {
 public:
  explicit Answering(verifier::Answer answer) : answer_(answer) {}
  verifier::SolverAnswer Solve(const verifier::SolverQuery&) override {
    ++asked;
    verifier::SolverAnswer answer;
    answer.answer = answer_;
    answer.solver = "stub";
    if (answer_ == verifier::Answer::kUnknown) answer.reason = "budget";
    return answer;
  }
  std::string name_and_version() override { return "stub"; }
  std::atomic<int> asked{0};

 private:
  const verifier::Answer answer_;
};

TEST_F(EvidenceTest, WhatIsShownHasBothSolversAndItsEvidence) {
  const VerifiedRule shown = Shown(kTrueFloat);
  ASSERT_EQ(shown.verdicts.size(), 2u);
  for (const v1::CaseVerdict& verdict : shown.verdicts) {
    EXPECT_EQ(verdict.verdict(), v1::VERDICT_PROVED);
    EXPECT_EQ(verdict.certificate().semantics_digest(), machine::SemanticsOf(*machine_).hex());
    EXPECT_TRUE(IsConfirmed(verdict)) << verdict.DebugString();
  }
  EXPECT_FALSE(shown.evidence.solvers.empty());
  EXPECT_FALSE(shown.evidence.encoding.empty());
  EXPECT_GT(shown.evidence.mutants.refuted, 0);
  EXPECT_FALSE(shown.evidence.inexact.has_value());
  EXPECT_EQ(shown.evidence.modes, (std::vector<DenormMode>{DenormMode::kAny, DenormMode::kPreserve}));
  const VerifiedRule inexact = Shown(kTrueInexact, v1::RULE_CLASS_INEXACT);
  ASSERT_TRUE(inexact.evidence.inexact.has_value());
  EXPECT_EQ(inexact.evidence.inexact->reals(), v1::VERDICT_PROVED);
  EXPECT_EQ(inexact.verdicts[0].verdict(), v1::VERDICT_REFUTED);  // the rule does not hold bit for bit
}

// A search creates a node for each constant, but in the parsed text of the rule, equal constants share a node, which
// leads to other mutants. The evidence must be based on the parsed text.
TEST_F(EvidenceTest, EvidenceIsOfTheRuleAsItIsWritten) {
  const Sample twos = {"('iadd@32', ('iadd@32', ('ishl@32', 'a@32', 2@32), 4@32), 4@32)",
                       "('ishl@32', ('iadd@32', 'a@32', 2@32), 2@32)"};
  RuleClaim claim = ClaimFor(twos);
  const absl::StatusOr<VerifiedRule> read = Verifier().Verify(claim);
  ASSERT_TRUE(read.ok()) << read.status();
  ir::Term& replace = claim.candidate.replace;
  const ir::NodeIndex shared = replace.nodes[replace.root].sources[1].node;
  const ir::Node two = replace.nodes[shared];
  replace.nodes.insert(replace.nodes.begin() + shared, two);
  for (ir::Node& node : replace.nodes) {
    for (auto& source : node.sources) source.node += source.node >= shared ? 1 : 0;
  }
  ++replace.root;
  replace.nodes[replace.root].sources[1].node = shared;
  const absl::StatusOr<VerifiedRule> searched = Verifier().Verify(claim);
  ASSERT_TRUE(searched.ok()) << searched.status();
  EXPECT_EQ(searched->evidence.mutants.refuted, read->evidence.mutants.refuted);
  EXPECT_EQ(searched->evidence.mutants.undecided, read->evidence.mutants.undecided);
  std::unique_ptr<store::Store> store = OpenStore("searched.db");
  PutClaimed(claim.candidate, *searched, store.get());
  ASSERT_TRUE(ExportPack(store.get(), *machine_, Path("out"), ExportOptions(solvers_)).ok());
  const absl::StatusOr<PackVerdict> verdict = ProvePackAgain(PackOf("out/intel_gen9"), solvers_, {});
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->proved, 1u);
  for (const emitter::Finding& finding : verdict->findings) ADD_FAILURE() << finding.what;
}

TEST_F(EvidenceTest, VerdictsOfAnotherRuleShowNothing) {
  const auto verify = [&](const Sample& of, const Sample& as, v1::RuleClass rule_class) {
    RuleClaim claim = ClaimFor(of, rule_class);
    claim.candidate = CandidateOf(as);
    return Verifier().Verify(claim).status();
  };
  EXPECT_EQ(verify(kTrueFloat, kFalseFloat, v1::RULE_CLASS_STRICT).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(verify(kTrueInteger, kFalseInteger, v1::RULE_CLASS_STRICT).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(verify(kTrueInexact, kFalseInexact, v1::RULE_CLASS_INEXACT).code(), absl::StatusCode::kFailedPrecondition);
  // The rule holds over the reals, but not bit for bit.
  EXPECT_FALSE(verify(kTrueFloat, {kTrueInexact.search, kTrueInexact.replace}, v1::RULE_CLASS_STRICT).ok());
}

// A relation between constants (ir/match/relation.h) is part of the rule when the rule is proved, exported, read back,
// and proved again.
TEST_F(EvidenceTest, RelationsAreShownAgain) {
  const std::string search = "('umin@32', ('umin@32', 'a@32', '#b@32'), '#c@32')";
  const auto related = [&](const std::string& relation) {
    return absl::StrCat("('where', ", search, ", ", relation, ")");
  };
  const auto candidate = [&](const std::string& text) {
    return *CandidateOfTexts(machine_->id(), text, "", "[SEL(r(UD), a(UD), b(UD)).cmod(L)]");
  };
  const std::string right = related("('ult@1', 'b', 'c')");
  RuleClaim claim{candidate(right), v1::RULE_CLASS_STRICT, {}};
  const verifier::RuleCase proved{claim.candidate.search, *machine::ReplacementTerm(claim.candidate),
                                  DenormMode::kNone};
  claim.verdicts.push_back(verifier::CaseProto(claim.candidate.search, DenormMode::kNone,
                                               verifier::Prover(solvers_, {}).Prove(proved), "semantics"));
  const absl::StatusOr<VerifiedRule> shown = Verifier().Verify(claim);
  ASSERT_TRUE(shown.ok()) << shown.status();
  EXPECT_TRUE(IsConfirmed(shown->verdicts[0]));
  EXPECT_FALSE(shown->evidence.encoding.empty());
  EXPECT_GT(shown->evidence.mutants.refuted, 0);
  const std::string wrong[] = {search, related("('uge@1', 'b', 'c')"), related("('ult@1', 'c', 'b')"),
                               related("('ilt@1', 'b', 'c')")};
  for (const std::string& text : wrong) {
    RuleClaim other = claim;
    other.candidate = candidate(text);
    EXPECT_EQ(Verifier().Verify(other).status().code(), absl::StatusCode::kFailedPrecondition) << text;
  }
  std::unique_ptr<store::Store> store = OpenStore("db");
  PutClaimed(claim.candidate, *shown, store.get());
  PackBuildOptions options = ExportOptions(solvers_);
  options.formats = {"nir", "machine", "c", "lburg", "json"};
  const auto exported = ExportPack(store.get(), *machine_, Path("out"), options);
  ASSERT_TRUE(exported.ok()) << exported.status();
  const v1::Pack pack = PackOf("out/intel_gen9");
  ASSERT_EQ(pack.entries_size(), 1);
  EXPECT_EQ(pack.entries(0).rule().search(), right);
  const absl::StatusOr<std::vector<emitter::PackFolder>> read = emitter::ReadPackFolders(Path("out/intel_gen9"));
  for (const emitter::Finding& finding : emitter::VerifyPacks(Path("out/intel_gen9"), *read)) {
    ADD_FAILURE() << finding.file << ": " << finding.what;
  }
  EXPECT_TRUE(ProvePackAgain(pack, solvers_, {})->findings.empty());
  EXPECT_TRUE(CertificateFiles(pack).ok());
  for (const std::string& text : wrong) {
    v1::Pack doctored = pack;
    doctored.mutable_entries(0)->mutable_rule()->set_search(text);
    EXPECT_FALSE(ProvePackAgain(doctored, solvers_, {})->findings.empty()) << text;
  }
}

TEST_F(EvidenceTest, ClaimsOfOtherCasesAreMalformed) {
  const RuleClaim good = ClaimFor(kTrueFloat);
  const auto code = [&](const std::function<void(RuleClaim*)>& doctor) {
    RuleClaim claim = good;
    doctor(&claim);
    return Verifier().Verify(claim).status().code();
  };
  using Claim = RuleClaim*;
  EXPECT_EQ(code([](Claim) {}), absl::StatusCode::kOk);
  EXPECT_EQ(code([](Claim c) { c->verdicts.clear(); }), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code([](Claim c) { c->verdicts.push_back(c->verdicts[0]); }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].set_width(16); }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { (*c->verdicts[0].mutable_sizes())["a"] = 16; }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].set_mode(v1::DENORM_MODE_NONE); }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].set_mode(v1::DENORM_MODE_UNSPECIFIED); }),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].set_verdict(v1::VERDICT_VACUOUS); }),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].mutable_certificate()->set_kind(v1::TIER_VECTORS); }),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](Claim c) { c->verdicts[0].mutable_certificate()->clear_copies(); }),
            good.verdicts[0].certificate().kind() == v1::TIER_EXHAUSTIVE ? absl::StatusCode::kOk
                                                                         : absl::StatusCode::kFailedPrecondition);
}

TEST_F(EvidenceTest, SolversThatLieOrDecideNothingShowNothing) {
  const RuleClaim good = ClaimFor(kTrueInteger);
  RuleClaim forged = good;
  forged.candidate = CandidateOf(kFalseInteger);
  Answering liar(verifier::Answer::kUnsat), slow(verifier::Answer::kUnknown);
  const auto code = [](const RuleClaim& claim, verifier::Solver* first, verifier::Solver* second) {
    return RuleVerifier(verifier::Solvers(first, second), {}).Verify(claim).status().code();
  };
  EXPECT_EQ(code(forged, &liar, solvers_.confirming()), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(forged, solvers_.first(), &liar), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(good, &slow, solvers_.confirming()), absl::StatusCode::kUnavailable);
  // If the second solver decides nothing, the rule is verified but not confirmed, so no pack contains it.
  const absl::StatusOr<VerifiedRule> alone = RuleVerifier(verifier::Solvers(solvers_.first(), &slow), {}).Verify(good);
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(alone->evidence.solvers.empty());
}

TEST_F(EvidenceTest, WhatIsNotedIsAllThatIsSaidAndNoByteLess) {
  std::unique_ptr<store::Store> store = OpenStore("n.db");
  const VerifiedRule shown = Shown(kTrueFloat);
  const store::RuleRecord rule = PutClaimed(CandidateOf(kTrueFloat), shown, store.get());
  VerifiedRules verified(store.get());
  EXPECT_FALSE(*verified.Has(rule, shown.verdicts));
  ASSERT_TRUE(verified.Keep(rule, shown.verdicts).ok());
  EXPECT_TRUE(*verified.Has(rule, shown.verdicts));
  EXPECT_TRUE(*verified.Has(rule, *ProofsOf(store.get(), rule)));
  const auto has = [&](const std::function<void(store::RuleRecord*, std::vector<v1::CaseVerdict>*)>& change) {
    store::RuleRecord other = rule;
    std::vector<v1::CaseVerdict> verdicts = shown.verdicts;
    change(&other, &verdicts);
    return *verified.Has(other, verdicts);
  };
  using Rule = store::RuleRecord*;
  using Verdicts = std::vector<v1::CaseVerdict>*;
  EXPECT_FALSE(has([](Rule r, Verdicts) { r->replace = "'a@32'"; }));
  EXPECT_FALSE(has([](Rule r, Verdicts) { r->condition = "true"; }));
  EXPECT_FALSE(has([](Rule r, Verdicts) { r->detail += 'x'; }));
  EXPECT_FALSE(has([](Rule r, Verdicts) { r->id.bytes[3] ^= 1; }));
  EXPECT_FALSE(has([](Rule r, Verdicts) { r->rule_class = v1::RULE_CLASS_INEXACT; }));
  EXPECT_FALSE(has([](Rule, Verdicts v) { v->pop_back(); }));
  EXPECT_FALSE(has([](Rule, Verdicts v) { (*v)[0].set_mode(v1::DENORM_MODE_FLUSH); }));
  EXPECT_FALSE(has([](Rule, Verdicts v) { (*v)[0].mutable_certificate()->add_copies("otherwise=1"); }));
  EXPECT_TRUE(has([](Rule r, Verdicts v) {
    r->state = v1::RULE_STATE_KEPT;
    (*v)[0].set_ms(9);
    std::swap((*v)[0], (*v)[1]);
  }));
}

// A rule that the second solver did not decide is trusted, and is sent to the solver again only with a larger budget.
TEST_F(EvidenceTest, WhatNoSecondSolverConfirmedIsAskedAgain) {
  Answering undecided(verifier::Answer::kUnknown), honest(verifier::Answer::kUnsat);
  const RuleVerifier early({solvers_.first(), &undecided}, {.work_ms = 3000});
  const RuleClaim claim = ClaimFor(kTrueFloat);
  const absl::StatusOr<VerifiedRule> shown = early.Verify(claim);
  ASSERT_TRUE(shown.ok()) << shown.status();
  EXPECT_EQ(shown->evidence.solvers, "");
  const std::unique_ptr<store::Store> store = OpenStore("again.db");
  VerifiedRules rules(store.get());
  const store::RuleRecord rule = PutClaimed(claim.candidate, *shown, store.get());
  ASSERT_TRUE(rules.Keep(rule, shown->verdicts).ok());
  std::string said;
  const auto ask = [&](verifier::Solver* second, uint32_t work_ms) {
    ConfirmReport report;
    const RuleVerifier verifier({solvers_.first(), second}, {.work_ms = work_ms});
    said.clear();
    const auto progress = [&](size_t done, size_t all) { absl::StrAppend(&said, done, " of ", all, "\n"); };
    EXPECT_TRUE(rules.ConfirmAgain(*machine_, verifier, progress, &report).ok());
    return report;
  };
  EXPECT_EQ(ask(&honest, 3000).asked, 0u) << "the budget is the same as before";
  EXPECT_EQ(said, "");
  ConfirmReport report = ask(&undecided, 20000);
  EXPECT_EQ(said, "0 of 1\n");
  EXPECT_EQ(report.asked, 1u);
  EXPECT_EQ(report.confirmed, 0u);
  EXPECT_TRUE(*rules.Has(store::RuleStore(store.get()).GetRule(rule.id.hex()).value(), *ProofsOf(store.get(), rule)));
  EXPECT_EQ(ask(&honest, 20000).asked, 0u) << "the same budget did not suffice before";
  EXPECT_EQ(ask(nullptr, 100000).asked, 0u) << "there is no second solver";
  report = ask(&honest, 100000);
  EXPECT_EQ(report.confirmed, 1u);
  EXPECT_EQ(ask(&honest, 200000).asked, 0u);
  const store::RuleRecord stored = store::RuleStore(store.get()).GetRule(rule.id.hex()).value();
  EXPECT_EQ(DetailOf(stored).confirmations(0).by(), "stub");
}

TEST_F(EvidenceTest, ExportRefusesForgedRulesAndVerifiesOnce) {
  Forge("forged.db");
  std::unique_ptr<store::Store> store = OpenStore("forged.db");
  const absl::StatusOr<ExportReport> report = ExportPack(store.get(), *machine_, Path("out"), ExportOptions(solvers_));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->verified, 6u);
  EXPECT_EQ(report->exported, 3u);
  EXPECT_EQ(report->inexact, 1u);
  size_t refused = 0;
  for (const emitter::BlockedRule& blocked : report->blocked) {
    if (absl::StrContains(blocked.reason, "the database claims a proof, but")) ++refused;
  }
  EXPECT_EQ(refused, 3u);
  // The database records the verification: the second export needs no solver and produces the same bytes.
  Answering nobody(verifier::Answer::kUnknown);
  const absl::StatusOr<ExportReport> again =
      ExportPack(store.get(), *machine_, Path("again"), ExportOptions({&nobody, &nobody}));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->exported, 3u);
  EXPECT_EQ(again->verified, 3u);  // the export tried to verify the forged rules again
  for (const char* of : {"intel_gen9", "intel_gen9/inexact"}) {
    EXPECT_EQ(PackOf(absl::StrCat("out/", of)).entries(0).ShortDebugString(),
              PackOf(absl::StrCat("again/", of)).entries(0).ShortDebugString());
  }
}

TEST_F(EvidenceTest, MergeTakesNothingOfForgedRules) {
  Forge("shard.db");
  std::unique_ptr<store::Store> store = OpenStore("main.db");
  size_t told = 0;
  const absl::StatusOr<VerifiedMergeReport> report =
      MergeVerified(store.get(), Path("shard.db"), Verifier(), {.verified = [&](size_t, size_t all) { told = all; }});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(told, 6u);
  EXPECT_EQ(report->verified, 3u);
  ASSERT_EQ(report->refused.size(), 3u);
  for (const RefusedRule& refused : report->refused) {
    EXPECT_FALSE(store::RuleStore(store.get()).GetRule(refused.id).ok()) << refused.rule;
    EXPECT_FALSE(refused.reason.empty());
  }
  for (const Sample& sample : {kTrueFloat, kTrueInteger, kTrueInexact}) {
    EXPECT_TRUE(store::RuleStore(store.get()).GetRule(machine::CandidateId(CandidateOf(sample)).hex()).ok());
  }
  // Merged rules are recorded as verified, so neither a second merge nor an export verifies them again.
  Answering nobody(verifier::Answer::kUnknown);
  const absl::StatusOr<VerifiedMergeReport> again =
      MergeVerified(store.get(), Path("shard.db"), RuleVerifier({&nobody, &nobody}, {}), {});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->refused.size(), 3u);
  const absl::StatusOr<ExportReport> exported =
      ExportPack(store.get(), *machine_, Path("out"), ExportOptions({&nobody, &nobody}));
  ASSERT_TRUE(exported.ok()) << exported.status();
  EXPECT_EQ(exported->exported, 3u);
  EXPECT_EQ(exported->verified, 0u);
}

// Regression test: the exporter and the pack verifier computed the cost of a symbol or literal in an operand (bytes on
// rdna, sources on ir3) in different ways.
TEST_F(EvidenceTest, APackStatesTheCostsThatVerifyingGives) {
  const Sample symbol = {"('~fadd@32', ('fmul@32', '#c@32', 'a@32'), ('fmul@32', 'c', 'b@32'))",
                         "('fmul@32', 'c@32', ('fadd@32', 'a@32', 'b@32'))"};
  const Sample literal = {"('~fmul@32', ('fadd@32', 1.0@32, 'a@32'), 2.0@32)", "('ffma@32', 2.0@32, 'a@32', 2.0@32)"};
  for (const char* id : {"rdna", "ir3_a6xx"}) {
    machine_ = *machine::FindMachine(id);
    std::unique_ptr<store::Store> store = OpenStore(id);
    for (const Sample& sample : {symbol, literal})
      PutClaimed(CandidateOf(sample), Shown(sample, v1::RULE_CLASS_INEXACT), store.get());
    ASSERT_TRUE(ExportPack(store.get(), *machine_, Path("out"), ExportOptions(solvers_)).ok());
    const v1::Pack pack = PackOf(absl::StrCat("out/", id, "/inexact"));
    EXPECT_EQ(pack.entries_size(), 2) << id;
    const absl::StatusOr<PackVerdict> verdict = ProvePackAgain(pack, solvers_, {});
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    for (const emitter::Finding& finding : verdict->findings) ADD_FAILURE() << id << ": " << finding.what;
  }
}

TEST_F(EvidenceTest, APackFileIsNotBelieved) {
  Forge("db");
  std::unique_ptr<store::Store> store = OpenStore("db");
  ASSERT_TRUE(ExportPack(store.get(), *machine_, Path("out"), ExportOptions(solvers_)).ok());
  for (const char* folder : {"out/intel_gen9", "out/intel_gen9/inexact"}) {
    const v1::Pack pack = PackOf(folder);
    ASSERT_GT(pack.entries_size(), 0);
    const auto findings = [&](const std::function<void(v1::PackEntry*)>& doctor) -> std::string {
      v1::Pack doctored = pack;
      doctored.mutable_entries()->DeleteSubrange(1, doctored.entries_size() - 1);
      doctor(doctored.mutable_entries(0));
      const absl::StatusOr<PackVerdict> verdict = ProvePackAgain(doctored, solvers_, {});
      EXPECT_TRUE(verdict.ok()) << verdict.status();
      std::string text;
      for (const emitter::Finding& finding : verdict->findings) {
        EXPECT_EQ(finding.entry, doctored.entries(0).rule().id());
        absl::StrAppend(&text, finding.what, "\n");
      }
      return text;
    };
    using Entry = v1::PackEntry*;
    EXPECT_EQ(findings([](Entry) {}), "");
    const absl::StatusOr<PackVerdict> whole = ProvePackAgain(pack, solvers_, {});
    EXPECT_EQ(whole->entries, static_cast<size_t>(pack.entries_size()));
    EXPECT_EQ(whole->proved, whole->entries);
    EXPECT_GE(whole->queries, absl::EndsWith(folder, "inexact") ? 0u : 2u * whole->cases);
    EXPECT_NE(findings([](Entry e) { e->mutable_rule()->set_replace("'a@32'"); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_rule()->set_search("("); }), "");
    EXPECT_NE(findings([](Entry e) { e->clear_proofs(); }), "");
    // Each run of the verifier takes seconds, so one pack contains several faults.
    const auto expect_all = [&](const std::function<void(v1::PackEntry*)>& doctor,
                                const std::vector<std::string>& parts) {
      const std::string found = findings(doctor);
      for (const std::string& part : parts) EXPECT_TRUE(absl::StrContains(found, part)) << part << "\n" << found;
    };
    const auto alter_rule = [](Entry e) {
      v1::RewriteRule* rule = e->mutable_rule();
      rule->mutable_provenance()->set_semantics_digest("x");
      rule->mutable_provenance()->set_fragment("y");
      rule->mutable_provenance()->set_created("2026-01-01");
      rule->add_ops("fsin");
      rule->add_flags(v1::NODE_FLAG_EXACT);
      rule->mutable_search_term()->set_root(1);
      e->mutable_mutants()->Clear();
      e->mutable_mutants()->set_refuted(1);
      e->clear_confirmations();
    };
    expect_all(alter_rule, {"provenance.semantics_digest", "\"y\", which is not a digest", "provenance.created", "ops[",
                            "flags[", "search_term", "the mutants", "the confirmations"});
    if (absl::EndsWith(folder, "inexact")) {
      const auto alter_witness = [](Entry e) {
        ASSERT_EQ(e->proofs_size(), 2);
        for (const v1::CaseVerdict& proof : e->proofs()) ASSERT_EQ(proof.verdict(), v1::VERDICT_REFUTED);
        e->mutable_proofs(0)->mutable_witness()->set_replace("0x00012345");
        e->mutable_proofs(1)->set_verdict(v1::VERDICT_UNKNOWN);
      };
      expect_all(alter_witness, {"the witness states", "states evidence of a proof"});
      continue;
    }
    const auto alter_confirmers = [](Entry e) {
      e->mutable_proofs(0)->set_confirmed_by(0, "a friend");
      e->mutable_confirmations(0)->set_by("a friend");
      e->mutable_rule()->mutable_inexact()->set_reason("x");
    };
    expect_all(alter_confirmers, {"states a confirmation by \"a friend\"", "inexact"});
    expect_all([](Entry e) { e->mutable_proofs(0)->clear_confirmed_by(); },
               {"does not state the confirmation by cvc5", "the confirmations"});
    expect_all([](Entry e) { e->mutable_proofs(0)->mutable_certificate()->set_solver("Yices 2"); },
               {"its certificate differs"});
    EXPECT_EQ(findings([](Entry e) {
                // The pack may have been built with other versions of the solvers.
                for (v1::CaseVerdict& proof : *e->mutable_proofs()) {
                  std::string* solver = proof.mutable_certificate()->mutable_solver();
                  *solver = solver->substr(0, solver->find(' ')) + " 99";
                  proof.set_confirmed_by(0, "cvc5 99");
                }
                e->mutable_confirmations(0)->set_by("cvc5 99");
              }),
              "");
    EXPECT_NE(findings([](Entry e) { e->mutable_rule()->mutable_cost()->set_cycles(0.25); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_rule()->mutable_base_cost()->set_cycles(99); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_mutants()->set_undecided(1 - e->mutants().undecided()); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_confirmations(e->confirmations_size() - 1)->set_vectors(1u << 30); }),
              "");
    EXPECT_NE(findings([](Entry e) { e->add_confirmations()->set_axis(v1::Confirmation::AXIS_UNSPECIFIED); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_rule()->mutable_generalisation()->add_widths(64); }), "");
    EXPECT_NE(findings([](Entry e) { e->mutable_proofs(0)->set_verdict(v1::VERDICT_VACUOUS); }), "");
  }
  const v1::Pack strict = PackOf("out/intel_gen9");
  v1::Pack manifest = strict;
  manifest.clear_entries();
  manifest.mutable_manifest()->add_uncovered_ops("fsin of 32 bits");
  manifest.mutable_manifest()->add_solver_versions("Yices 2");
  const absl::StatusOr<PackVerdict> altered = ProvePackAgain(manifest, solvers_, {});
  ASSERT_EQ(altered->findings.size(), 2u);
  EXPECT_EQ(altered->findings[0].file, "manifest.json");
  EXPECT_TRUE(absl::StrContains(altered->findings[1].what, "Yices 2"));
  v1::Pack doctored = strict;
  for (v1::PackEntry& entry : *doctored.mutable_entries()) {
    entry.mutable_proofs(0)->mutable_certificate()->set_query_digest(std::string(64, '0'));
  }
  EXPECT_EQ(ProvePackAgain(doctored, solvers_, {})->findings.size(), static_cast<size_t>(strict.entries_size()));
  v1::Pack inexact = PackOf("out/intel_gen9/inexact");
  inexact.mutable_entries(0)->mutable_rule()->mutable_inexact()->set_ulp_worst_after(0.5);
  EXPECT_EQ(ProvePackAgain(inexact, solvers_, {})->findings.size(), 1u);
  EXPECT_FALSE(ProvePackAgain(strict, verifier::Solvers(solvers_.first()), {}).ok());
  // After a stop, no further rule is verified.
  std::stop_source stop;
  stop.request_stop();
  PackVerifierOptions stopped;
  stopped.stop = stop.get_token();
  Answering nobody(verifier::Answer::kUnknown);
  EXPECT_TRUE(absl::IsCancelled(ProvePackAgain(strict, {&nobody, &nobody}, stopped).status()));
  EXPECT_EQ(nobody.asked, 0);
}

// In nir-26, a predicate says nothing about a NaN if the op that reads the value lacks preserve_nan
// (nir_search_helpers.h:890-932 of Mesa 26.2.0-rc1).
TEST_F(EvidenceTest, APackForMesa26ContainsOnlyRulesThatHoldThere) {
  const Sample only_in_25 = {"('ffloor@32', ('fsat@32', ('fmin@32', '#b@32(is_gt_0_and_lt_1)', 'a@32')))",
                             "0x00000000@32"};
  std::unique_ptr<store::Store> store = OpenStore("two.db");
  std::string id;
  for (const Sample& sample : {kTrueInteger, only_in_25}) {
    const RuleClaim claim = ClaimFor(sample);
    const absl::StatusOr<VerifiedRule> verified = Verifier().Verify(claim);
    ASSERT_TRUE(verified.ok()) << verified.status();
    id = PutClaimed(claim.candidate, *verified, store.get()).id.hex();
  }
  PackBuildOptions options = ExportOptions(solvers_);
  const absl::StatusOr<ExportReport> for_25 = ExportPack(store.get(), *machine_, Path("25"), options);
  ASSERT_TRUE(for_25.ok()) << for_25.status();
  EXPECT_EQ(for_25->exported, 2u);
  options.target = *emitter::FindNirTarget("mesa-26.2");
  const absl::StatusOr<ExportReport> for_26 = ExportPack(store.get(), *machine_, Path("26"), options);
  ASSERT_TRUE(for_26.ok()) << for_26.status();
  EXPECT_EQ(for_26->exported, 1u);
  ASSERT_EQ(for_26->blocked.size(), 1u);
  EXPECT_TRUE(absl::StrContains(for_26->blocked[0].reason, "refuted in nir-26")) << for_26->blocked[0].reason;
  // This pack for 25.0 claims to be for 26.2.
  std::vector<emitter::PackFolder> folders = *emitter::ReadPackFolders(Path("25/intel_gen9"));
  EXPECT_TRUE(ProvePacksAgain(folders, solvers_, {})->findings.empty());
  folders[0].manifest.target = "mesa-26.2";
  const absl::StatusOr<PackVerdict> verdict = ProvePacksAgain(folders, solvers_, {});
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  ASSERT_EQ(verdict->findings.size(), 1u);
  EXPECT_EQ(verdict->findings[0].entry, id);
  EXPECT_EQ(verdict->proved, 1u);
}

TEST_F(EvidenceTest, CertificatesAreWhatAnotherSolverAnswers) {
  Forge("db");
  std::unique_ptr<store::Store> store = OpenStore("db");
  ASSERT_TRUE(ExportPack(store.get(), *machine_, Path("out"), ExportOptions(solvers_)).ok());
  const v1::Pack pack = PackOf("out/intel_gen9");
  absl::StatusOr<std::vector<emitter::NamedFile>> files = CertificateFiles(pack);
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_TRUE(emitter::WriteFiles(Path("smt"), *files).ok());
  size_t queries = 0;
  for (const auto& [name, bytes] : *files) queries += absl::EndsWith(name, ".smt2");
  EXPECT_GE(queries, 3u);
  const auto check = [&] { return WEXITSTATUS(system(absl::StrCat("sh ", Path("smt"), "/check.sh cvc5").c_str())); };
  EXPECT_EQ(check(), 0);
  // The script reports a file with a wrong expected answer. cvc5 itself fails on such a file and returns no answer.
  std::string doctored = absl::StrReplaceAll((*files)[0].second, {{":status unsat", ":status sat"}});
  ASSERT_TRUE(emitter::WriteFiles(Path("smt"), {{(*files)[0].first, doctored}}).ok());
  EXPECT_NE(check(), 0);
  // The queries are derived from the rules, even if the pack contains other queries.
  v1::Pack other = pack;
  for (v1::PackEntry& entry : *other.mutable_entries()) {
    for (v1::CaseVerdict& proof : *entry.mutable_proofs()) proof.mutable_certificate()->set_query("(assert false)");
  }
  EXPECT_EQ(*CertificateFiles(other), *files);
  other.mutable_entries(0)->mutable_rule()->set_search("(");
  EXPECT_FALSE(CertificateFiles(other).ok());
  // The files are named after the ids, so an id must not contain a path, and two entries must not have the same id.
  const auto said = [&](const std::function<void(v1::Pack*)>& doctor) {
    v1::Pack doctored = pack;
    doctor(&doctored);
    return std::string(CertificateFiles(doctored).status().message());
  };
  const auto with_id = [&](const std::string& id) {
    return said([&](v1::Pack* of) { of->mutable_entries(1)->mutable_rule()->set_id(id); });
  };
  ASSERT_EQ(pack.entries_size(), 2);
  v1::Pack escaping = pack;
  escaping.mutable_entries(1)->mutable_rule()->set_id("../../../x");
  if (const auto bad = CertificateFiles(escaping); bad.ok()) {
    EXPECT_FALSE(emitter::WriteFiles(Path("1/2/3"), *bad).ok()) << "files outside of their folder";
  }
  const std::string id = pack.entries(0).rule().id();
  for (const std::string& bad :
       {std::string("../../../x"), std::string(), id.substr(1), "/" + id.substr(1), id + "0"}) {
    EXPECT_TRUE(absl::StrContains(with_id(bad), absl::StrCat("entry 2, \"", bad, "\": its id"))) << with_id(bad);
  }
  const std::string shared = id.substr(0, 12) + std::string(52, '0');
  EXPECT_TRUE(absl::StrContains(with_id(shared), shared + "\": another entry's id begins")) << with_id(shared);
  EXPECT_TRUE(absl::StrContains(with_id(absl::AsciiStrToUpper(shared)), "another entry's id begins"));
  const std::string twice = said([](v1::Pack* of) {
    v1::PackEntry* const entry = of->mutable_entries(0);
    *entry->add_proofs() = v1::CaseVerdict(entry->proofs(0));
  });
  EXPECT_TRUE(absl::StrContains(twice, "two proofs in mode")) << twice;
}

}  // namespace
}  // namespace rewrought::pipeline
