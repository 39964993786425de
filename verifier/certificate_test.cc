// Checks that a correct certificate passes verification and that modifying any of its fields makes it fail.
#include "verifier/certificate.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "ir/semantics.h"
#include "verifier/budget.h"
#include "verifier/case_split.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"

namespace rewrought::verifier {
namespace {

constexpr char kUninterpretedRule[] = "(('fmul', ('fneg', 'a'), 'b'), ('fneg', ('fmul', 'a', 'b')))";
constexpr char kFalseRule[] = "(('fmul', ('fneg', 'a'), 'b'), ('fmul', 'a', 'b'))";
constexpr char kIntegerRule[] = "(('iadd', ('iand', 'a', 'b'), ('ior', 'a', 'b')), ('iadd', 'a', 'b'))";
constexpr char kCanonicalRule[] = "(('iadd', 'a', 'b'), ('iadd', 'b', 'a'))";

class StubSolver : public Solver {
 public:
  explicit StubSolver(Answer answer) : answer_(answer) {}
  SolverAnswer Solve(const SolverQuery&) override {
    ++asked;
    SolverAnswer answer;
    answer.answer = answer_;
    answer.solver = "stub";
    if (answer_ == Answer::kUnknown) answer.reason = "budget";
    return answer;
  }
  std::string name_and_version() override { return "stub"; }
  int asked = 0;

 private:
  const Answer answer_;
};

Certificate Again(const RuleCase& rule_case, const Certificate& claim, Solver* solver = SharedPool()) {
  const absl::StatusOr<CaseResult> shown = ProveAgain(rule_case, claim, solver, 10000);
  EXPECT_TRUE(shown.ok()) << shown.status().message();
  return shown.ok() ? *shown->certificate : Certificate{};
}

Certificate Prove(const RuleCase& rule_case, const ProverOptions& options, v1::Tier expected) {
  const CaseResult result = Prover(SharedPool(), options).Prove(rule_case);
  EXPECT_EQ(result.verdict, v1::VERDICT_PROVED) << result.reason;
  EXPECT_EQ(result.tier, expected);
  if (!result.certificate.has_value()) return {};
  return Again(rule_case, *result.certificate);
}

struct Proof {
  RuleCase rule_case;
  Certificate certificate;
};

const Proof& UninterpretedProof() {
  static const Proof& proof = *new Proof([] {
    Proof made{CaseOf(kUninterpretedRule, 32, ir::DenormMode::kAny), {}};
    made.certificate = Prove(made.rule_case, SolversOnly(), v1::TIER_UNINTERPRETED);
    return made;
  }());
  return proof;
}

absl::Status Verify(const RuleCase& rule_case, const Certificate& certificate) {
  return VerifyCertificate(rule_case, certificate, SharedPool(), 10000);
}

// Expects that verification fails with `message` after `doctor` modifies the uninterpreted proof's certificate.
void ExpectRejected(const std::function<void(Certificate*)>& doctor, const std::string& message) {
  Certificate certificate = UninterpretedProof().certificate;
  doctor(&certificate);
  const absl::Status status = Verify(UninterpretedProof().rule_case, certificate);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), message)) << status.message();
}

TEST(Certificate, EveryKindIsVerified) {
  EXPECT_TRUE(Verify(UninterpretedProof().rule_case, UninterpretedProof().certificate).ok())
      << Verify(UninterpretedProof().rule_case, UninterpretedProof().certificate).message();
  const RuleCase integer = CaseOf(kIntegerRule, 32, ir::DenormMode::kNone);
  const Certificate native = Prove(integer, SolversOnly(), v1::TIER_NATIVE);
  EXPECT_TRUE(Verify(integer, native).ok()) << Verify(integer, native).message();
  const RuleCase small = CaseOf(kIntegerRule, 1, ir::DenormMode::kNone);
  const Certificate exhaustive = Prove(small, ProverOptions{}, v1::TIER_EXHAUSTIVE);
  EXPECT_TRUE(Verify(small, exhaustive).ok());
  const RuleCase commuted = CaseOf(kCanonicalRule, 32, ir::DenormMode::kNone);
  const Certificate canonical = Prove(commuted, ProverOptions{}, v1::TIER_CANONICAL);
  EXPECT_TRUE(Verify(commuted, canonical).ok());
}

TEST(Certificate, ACertificateIsOfItsOwnRuleOnly) {
  const RuleCase other = CaseOf(kFalseRule, 32, ir::DenormMode::kAny);
  EXPECT_FALSE(Verify(other, UninterpretedProof().certificate).ok());
  RuleCase mode = UninterpretedProof().rule_case;
  mode.mode = ir::DenormMode::kFlush;
  EXPECT_FALSE(Verify(mode, UninterpretedProof().certificate).ok());
  EXPECT_FALSE(Verify(CaseOf(kUninterpretedRule, 16, ir::DenormMode::kAny), UninterpretedProof().certificate).ok());
  const RuleCase integer = CaseOf("(('iadd', 'a', 'b'), ('isub', 'a', 'b'))", 32, ir::DenormMode::kNone);
  Certificate canonical;
  canonical.kind = v1::TIER_CANONICAL;
  canonical.copies = {"otherwise=0 guided"};
  canonical.semantics_digest = ir::SemanticsDigest();
  EXPECT_FALSE(Verify(integer, canonical).ok());
  canonical.kind = v1::TIER_EXHAUSTIVE;
  EXPECT_FALSE(Verify(integer, canonical).ok());
  EXPECT_FALSE(
      Verify(CaseOf("(('iadd', 'a', 'b'), ('isub', 'a', ('inot', 'b')))", 8, ir::DenormMode::kNone), canonical).ok());
}

// The number of positive 32-bit powers of two; `imul` is signed, so the top bit is the sign.
constexpr size_t kPowers = 31;

Proof SplitProof() {
  Proof proof{
      CaseOf("(('imul', 'a', '#b(is_pos_power_of_two)'), ('ishl', 'a', ('find_lsb', 'b')))", 32, ir::DenormMode::kNone),
      {}};
  const std::optional<CaseResult> result = ProveBySplitting(Prover(SharedPool(), ProverOptions{}), proof.rule_case);
  EXPECT_TRUE(result.has_value());
  if (!result.has_value() || !result->certificate.has_value()) return proof;
  proof.certificate = Again(proof.rule_case, *result->certificate);
  return proof;
}

TEST(Certificate, OfASplitCaseShowsEveryPart) {
  const Proof proof = SplitProof();
  ASSERT_EQ(proof.certificate.kind, v1::TIER_CASE_SPLIT);
  ASSERT_EQ(proof.certificate.parts.size(), kPowers);
  EXPECT_TRUE(Verify(proof.rule_case, proof.certificate).ok()) << Verify(proof.rule_case, proof.certificate).message();
}

TEST(Certificate, DoctoredPartsDoNotPass) {
  const Proof proof = SplitProof();
  ASSERT_EQ(proof.certificate.parts.size(), kPowers);
  const auto rejected = [&](const std::function<void(Certificate*)>& doctor) {
    Certificate certificate = proof.certificate;
    doctor(&certificate);
    return !Verify(proof.rule_case, certificate).ok();
  };
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts.pop_back(); }));
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts.push_back(c->parts[0]); }));
  EXPECT_TRUE(rejected([](Certificate* c) { std::swap(c->parts[0], c->parts[1]); }));
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts[3].values[0].second = 1; }));
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts[3].certificate = c->parts[4].certificate; }) ||
              proof.certificate.parts[3].certificate.kind == v1::TIER_CANONICAL);
  // Claims that the part is vacuous.
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts[5].certificate = Certificate{}; }));
  EXPECT_TRUE(rejected([](Certificate* c) { c->parts[5].certificate.semantics_digest.clear(); }));
  EXPECT_TRUE(rejected([&](Certificate* c) { c->parts[5].certificate = proof.certificate; }));
  EXPECT_TRUE(rejected([](Certificate* c) { c->query_digest = "00"; }));
  // The parts of a correct rule must not prove an incorrect rule.
  const RuleCase wrong =
      CaseOf("(('imul', 'a', '#b(is_pos_power_of_two)'), ('ishl', 'a', ('ufind_msb', ('iadd', 'b', 1))))", 32,
             ir::DenormMode::kNone);
  EXPECT_FALSE(Verify(wrong, proof.certificate).ok());
  Certificate other = UninterpretedProof().certificate;
  other.parts = proof.certificate.parts;
  EXPECT_FALSE(Verify(UninterpretedProof().rule_case, other).ok());
}

TEST(Certificate, DoctoredTextDoesNotPass) {
  const char* const weaker = "(assert false)\n";
  ExpectRejected([&](Certificate* c) { c->query += weaker; }, "stored query");
  // A digest that matches the modified text does not match the rule's query.
  ExpectRejected(
      [&](Certificate* c) {
        c->query += weaker;
        c->query_digest = ir::Sha256Hex(c->query);
      },
      "digest does not match");
}

TEST(Certificate, DoctoredDigestsDoNotPass) {
  ExpectRejected([](Certificate* c) { c->query_digest[0] ^= 1; }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->query_digest.clear(); }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->semantics_digest[5] ^= 1; }, "different semantics");
  ExpectRejected([](Certificate* c) { c->semantics_digest.clear(); }, "different semantics");
}

TEST(Certificate, DoctoredCopiesDoNotPass) {
  ASSERT_FALSE(UninterpretedProof().certificate.copies.empty());
  ExpectRejected([](Certificate* c) { c->copies.clear(); }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->copies[0] = "otherwise=1"; }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->copies.push_back("otherwise=1 merged"); }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->copies[0] = "otherwise=2"; }, "malformed copy");
  ExpectRejected([](Certificate* c) { c->copies[0] += " n9.0:3#1=0x1"; }, "makes no choice");
}

TEST(Certificate, DoctoredLemmasDoNotPass) {
  ASSERT_FALSE(UninterpretedProof().certificate.lemmas.empty());
  ExpectRejected([](Certificate* c) { c->lemmas.pop_back(); }, "lemmas");
  ExpectRejected([](Certificate* c) { c->lemmas.push_back({"zero_is_one32", 1}); }, "lemmas");
  ExpectRejected([](Certificate* c) { ++c->lemmas[0].second; }, "lemmas");
}

TEST(Certificate, DoctoredKindDoesNotPass) {
  ExpectRejected([](Certificate* c) { c->kind = v1::TIER_NATIVE; }, "digest does not match");
  ExpectRejected([](Certificate* c) { c->kind = v1::TIER_CANONICAL; }, "no query");
  ExpectRejected([](Certificate* c) { c->kind = v1::TIER_VECTORS; }, "no query");
  Certificate bare = UninterpretedProof().certificate;
  bare.kind = v1::TIER_VECTORS;
  bare.query.clear();
  bare.query_digest.clear();
  bare.lemmas.clear();
  EXPECT_FALSE(Verify(UninterpretedProof().rule_case, bare).ok());
}

// A consistent certificate of a false rule: only solving its query reveals that it is not a proof.
TEST(Certificate, AConsistentForgeryIsSolvedAndFails) {
  const RuleCase rule_case = CaseOf(kFalseRule, 32, ir::DenormMode::kPreserve);
  StubSolver liar(Answer::kUnsat);
  const CaseResult result = Prover(&liar, SolversOnly()).Prove(rule_case);
  ASSERT_EQ(result.verdict, v1::VERDICT_PROVED);
  const Certificate certificate = Again(rule_case, *result.certificate, &liar);
  EXPECT_EQ(Verify(rule_case, certificate).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ProveAgain(rule_case, certificate, SharedPool(), 10000).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// The second solver gets the same query. If it answers unsat, the proof records this; if it answers sat, the proof is
// rejected.
TEST(Certificate, ProofsAgainAskBothSolvers) {
  const Proof& proof = UninterpretedProof();
  StubSolver agrees(Answer::kUnsat), differs(Answer::kSat), slow(Answer::kUnknown);
  const auto again = [&](Solver* second) {
    return ProveAgain(proof.rule_case, proof.certificate, {SharedPool(), second}, 10000);
  };
  ASSERT_TRUE(again(&agrees).ok());
  EXPECT_EQ(again(&agrees)->confirmed_by, std::vector<std::string>{"stub"});
  EXPECT_EQ(again(&differs).status().code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(again(&slow).ok());
  EXPECT_TRUE(again(&slow)->confirmed_by.empty());
}

// If the second solver does not decide and the budget is large enough, all inputs are evaluated.
TEST(Certificate, WhatTheSecondSolverLeavesOpenIsEvaluatedWhole) {
  constexpr char kHalf[] =
      "(('imul', ('isign', 'a'), ('ushr', ('iabs', 'a'), 1)), "
      "('ishr', ('iadd', 'a', ('ushr', 'a', 15)), 1))";
  StubSolver slow(Answer::kUnknown), agrees(Answer::kUnsat);
  const RuleCase half = CaseOf(kHalf, 16, ir::DenormMode::kNone);
  const Certificate proof = Prove(half, SolversOnly(), v1::TIER_NATIVE);
  const auto by = [&](Solver* second, uint32_t work) {
    const auto again = ProveAgain(half, proof, {SharedPool(), second}, work);
    EXPECT_TRUE(again.ok()) << again.status();
    return again->confirmed_by;
  };
  EXPECT_EQ(by(&slow, kConfirmAgainWork), std::vector<std::string>{"exhaustion"});
  EXPECT_EQ(by(nullptr, kConfirmAgainWork), std::vector<std::string>{"exhaustion"});
  EXPECT_EQ(by(&agrees, kConfirmAgainWork), std::vector<std::string>{"stub"});
  EXPECT_TRUE(by(&slow, kConfirmAgainWork - 1).empty());
  // If the first solver is wrong about a rule that fails on a single input, the evaluation finds that input.
  StubSolver liar(Answer::kUnsat);
  const RuleCase wrong =
      CaseOf("(('iadd', 'a', 0), ('bcsel', ('ieq', 'a', 4321), 4322, 'a'))", 16, ir::DenormMode::kNone);
  Certificate claim;
  claim.kind = v1::TIER_NATIVE;
  claim.copies = proof.copies;
  EXPECT_EQ(ProveAgain(wrong, claim, {&liar, &slow}, kConfirmAgainWork).status().message(),
            "evaluating all inputs shows that the rule does not hold");
}

TEST(Certificate, AProofAgainUsesNothingOfTheClaimButItsWay) {
  const Proof& proof = UninterpretedProof();
  Certificate claim;
  claim.kind = proof.certificate.kind;
  claim.copies = proof.certificate.copies;
  claim.query = "(assert false)";
  claim.lemmas = {{"zero_is_one32", 1}};
  EXPECT_TRUE(Verify(proof.rule_case, Again(proof.rule_case, claim)).ok());
  // The same claim does not prove another rule, so a verdict cannot be copied.
  EXPECT_EQ(ProveAgain(CaseOf(kFalseRule, 32, ir::DenormMode::kAny), claim, SharedPool(), 10000).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Certificate, UndecidedIsNoProof) {
  StubSolver slow(Answer::kUnknown);
  const absl::Status status =
      VerifyCertificate(UninterpretedProof().rule_case, UninterpretedProof().certificate, &slow, 10000);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(slow.asked, 1);
  EXPECT_FALSE(
      VerifyCertificate(UninterpretedProof().rule_case, UninterpretedProof().certificate, Solvers(), 10000).ok());
}

TEST(Certificate, VacuousCasesAreNotVerified) {
  RuleCase rule_case = CaseOf(kCanonicalRule, 32, ir::DenormMode::kNone);
  for (ir::Node& node : rule_case.search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.name == "a")
      node.predicates = {"is_pos_power_of_two", "is_neg_power_of_two"};
  }
  Certificate certificate;
  certificate.kind = v1::TIER_CANONICAL;
  certificate.copies = {"otherwise=0 guided"};
  certificate.semantics_digest = ir::SemanticsDigest();
  const absl::Status status = Verify(rule_case, certificate);
  EXPECT_TRUE(absl::StrContains(status.message(), "preconditions")) << status.message();
}

TEST(Certificate, RowsThatAreNotNirsCountAsSemantics) {
  RuleCase rule_case = CaseOf(kCanonicalRule, 32, ir::DenormMode::kNone);
  static ir::OpRow& row = *new ir::OpRow(*rule_case.search.root_node().op);
  EXPECT_EQ(CaseSemanticsDigest(rule_case), ir::SemanticsDigest());
  rule_case.search.nodes[rule_case.search.root].op = &row;
  const std::string own = CaseSemanticsDigest(rule_case);
  EXPECT_NE(own, ir::SemanticsDigest());
  row.meaning = "(sub a b)";
  EXPECT_NE(CaseSemanticsDigest(rule_case), own);
}

// The prover's certificates must parse, including copies learned from models.
TEST(Certificate, LearntCopiesAreRestated) {
  const RuleCase rule_case = CaseOf("(('iadd', ('extract_u8', 'a@32', 4), 1), 0)", 0, ir::DenormMode::kNone);
  const CaseResult result = Prover(SharedPool(), SolversOnly()).Prove(rule_case);
  ASSERT_EQ(result.verdict, v1::VERDICT_PROVED) << result.reason;
  const Certificate certificate = Again(rule_case, *result.certificate);
  EXPECT_GT(certificate.copies.size(), 1u);
  EXPECT_TRUE(Verify(rule_case, certificate).ok()) << Verify(rule_case, certificate).message();
}

}  // namespace
}  // namespace rewrought::verifier
