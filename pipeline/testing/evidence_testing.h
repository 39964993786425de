// Defines the fixture for tests of evidence: true and false rules, and databases in which the false rules claim the
// proofs of the true rules.
#ifndef REWROUGHT_PIPELINE_TESTING_EVIDENCE_TESTING_H_
#define REWROUGHT_PIPELINE_TESTING_EVIDENCE_TESTING_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/pack_folder.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "pipeline/case_record.h"
#include "pipeline/evidence/rule_verifier.h"
#include "pipeline/pack_build.h"
#include "pipeline/rule_record.h"
#include "store/rule_store.h"
#include "store/search_store.h"
#include "verifier/message/verdict_message.h"
#include "verifier/prover.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::pipeline {

namespace fs = std::filesystem;
using ir::DenormMode;

inline constexpr char kMachine[] = "intel_gen9";

// True rules that save cycles on gen9, and false rules of the same form. The tests copy the true rules' verdicts to the
// false rules.
struct Sample {
  const char *search, *replace;
};
inline constexpr Sample kTrueFloat = {"('fmul@32', ('fneg@32', 'a@32'), ('fneg@32', 'b@32'))",
                                      "('fmul@32', 'a@32', 'b@32')"};
inline constexpr Sample kFalseFloat = {"('fmul@32', ('fneg@32', 'a@32'), ('fabs@32', 'b@32'))",
                                       "('fmul@32', 'a@32', 'b@32')"};
inline constexpr Sample kTrueInteger = {"('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a@32', 'b@32'))",
                                        "('ixor@32', 'a@32', 'b@32')"};
inline constexpr Sample kFalseInteger = {"('ixor@32', ('iand@32', 'a@32', 'b@32'), ('ior@32', 'a@32', 'b@32'))",
                                         "('ior@32', 'a@32', 'b@32')"};
inline constexpr Sample kTrueInexact = {"('~fadd@32', ('fmul@32', 'a@32', 'b@32'), ('fmul@32', 'a@32', 'c@32'))",
                                        "('fmul@32', 'a@32', ('fadd@32', 'b@32', 'c@32'))"};
inline constexpr Sample kFalseInexact = {"('~fadd@32', ('fmul@32', 'a@32', 'b@32'), ('fmul@32', 'a@32', 'c@32'))",
                                         "('fmul@32', 'a@32', ('fadd@32', 'b@32', 'b@32'))"};

class EvidenceTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            absl::StrCat("evidence_", getpid(), "_", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    absl::StatusOr<verifier::Solvers> solvers = verifier::OpenSolvers({});
    ASSERT_TRUE(solvers.ok()) << solvers.status();
    solvers_ = *std::move(solvers);
    machine_ = *machine::FindMachine(kMachine);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::unique_ptr<store::Store> OpenStore(const std::string& name) {
    absl::StatusOr<std::unique_ptr<store::Store>> opened = store::Store::Open(Path(name));
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }
  std::string Path(const std::string& name) const { return (root_ / name).string(); }

  RuleVerifier Verifier() const { return RuleVerifier(solvers_, {}); }

  machine::Candidate CandidateOf(const Sample& sample) const {
    absl::StatusOr<machine::Candidate> candidate = CandidateOfTexts(machine_->id(), sample.search, sample.replace, "");
    EXPECT_TRUE(candidate.ok()) << candidate.status();
    return *std::move(candidate);
  }

  // Returns the claim that a search would make, with the prover's verdict in each mode.
  RuleClaim ClaimFor(const Sample& sample, v1::RuleClass rule_class = v1::RULE_CLASS_STRICT) const {
    RuleClaim claim{CandidateOf(sample), rule_class, {}};
    const ir::Term replace = *machine::ReplacementTerm(claim.candidate);
    const bool floats = ir::HasFloatOperation(claim.candidate.search);
    for (const DenormMode mode : floats ? std::vector<DenormMode>{DenormMode::kAny, DenormMode::kPreserve}
                                        : std::vector<DenormMode>{DenormMode::kNone}) {
      const verifier::RuleCase rule_case{claim.candidate.search, replace, mode};
      claim.verdicts.push_back(verifier::CaseProto(claim.candidate.search, mode,
                                                   verifier::Prover(solvers_, {}).Prove(rule_case), "semantics"));
    }
    return claim;
  }

  // Stores the rule with the evidence in `shown`, but does not record it as verified.
  store::RuleRecord PutClaimed(const machine::Candidate& candidate, const VerifiedRule& shown, store::Store* store) {
    store::RuleRecord rule = RecordOfRule(ir::Digest{}, candidate, shown.evidence);
    rule.fragment = std::nullopt;
    EXPECT_TRUE(store::RuleStore(store).PutRule(rule).ok());
    for (const v1::CaseVerdict& verdict : shown.verdicts) {
      const std::string key = verifier::CaseKey(candidate.search, *verifier::ModeOf(verdict.mode()));
      const store::VerdictRecord record = RecordOf(rule.id, rule.semantics, key, verdict);
      EXPECT_TRUE(store::SearchStore(store).PutVerdict(record).ok());
    }
    store::MeasurementRecord measured;
    measured.rule = rule.id;
    measured.split = store::Split::kDiscovery;
    measured.hits = measured.shaders = measured.sources = 3;
    measured.tuned_cycles = measured.tuned_instructions = 6;
    EXPECT_TRUE(store::RuleStore(store).PutMeasurement(measured).ok());
    return rule;
  }

  VerifiedRule Shown(const Sample& sample, v1::RuleClass rule_class = v1::RULE_CLASS_STRICT) const {
    absl::StatusOr<VerifiedRule> shown = Verifier().Verify(ClaimFor(sample, rule_class));
    EXPECT_TRUE(shown.ok()) << shown.status();
    return shown.ok() ? *std::move(shown) : VerifiedRule{};
  }

  // Creates a database in which false rules have the verdicts and the evidence of true rules.
  void Forge(const std::string& name) {
    std::unique_ptr<store::Store> store = OpenStore(name);
    PutClaimed(CandidateOf(kTrueFloat), Shown(kTrueFloat), store.get());
    PutClaimed(CandidateOf(kTrueInteger), Shown(kTrueInteger), store.get());
    PutClaimed(CandidateOf(kTrueInexact), Shown(kTrueInexact, v1::RULE_CLASS_INEXACT), store.get());
    PutClaimed(CandidateOf(kFalseFloat), Shown(kTrueFloat), store.get());
    PutClaimed(CandidateOf(kFalseInteger), Shown(kTrueInteger), store.get());
    PutClaimed(CandidateOf(kFalseInexact), Shown(kTrueInexact, v1::RULE_CLASS_INEXACT), store.get());
  }

  PackBuildOptions ExportOptions(const verifier::Solvers& solvers) const {
    PackBuildOptions options;
    options.formats = {"json"};
    options.solvers = solvers;
    return options;
  }

  v1::Pack PackOf(const std::string& folder) const {
    absl::StatusOr<emitter::PackFolder> read = emitter::ReadPackFolder(Path(folder));
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->pack : v1::Pack();
  }

  fs::path root_;
  const machine::Machine* machine_ = nullptr;
  verifier::Solvers solvers_;
};

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_TESTING_EVIDENCE_TESTING_H_
