#include "tests/benchmark/peers/stp/float_proof.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "verifier/worker/open_solvers.h"

namespace rewrought::peers {
namespace {

using OperandKind = FloatOperand::Kind;
using TargetKind = FloatTarget::Kind;
using verifier::Answer;

constexpr SmallFormat kHalf = {5, 11}, kSingle = {8, 24};
constexpr uint32_t kWork = 5000;
constexpr uint8_t kAllModes = 0b11111;

FloatOperand Inner(FloatOp op) { return {OperandKind::kInner, FloatConstant::kNaN, op}; }
FloatOperand Constant(FloatConstant constant) { return {OperandKind::kConstant, constant}; }

const FloatRule kPlusMinusZero = {
    {FloatOp::kAdd, {FloatOperand(), Constant(FloatConstant::kMinusZero)}}, {TargetKind::kVariable}, 0b10111};
const FloatRule kSquareIsZero = {{FloatOp::kEqual, {Inner(FloatOp::kMul), Constant(FloatConstant::kPlusZero)}},
                                 {TargetKind::kIsZero},
                                 1 << 2};  // rounding up
const FloatRule kMaxOfNegated = {{FloatOp::kMax, {Inner(FloatOp::kNeg), FloatOperand()}}, {TargetKind::kAbsolute}, 1};

FloatRule InModes(FloatRule rule, uint8_t modes) {
  rule.modes = modes;
  return rule;
}

// A solver that returns prepared answers in order, and then repeats the last one.
class Told : public verifier::Solver {
 public:
  explicit Told(std::vector<verifier::SolverAnswer> answers) : answers_(std::move(answers)) {}
  verifier::SolverAnswer Solve(const verifier::SolverQuery& query) override {
    texts.push_back(query.text);
    return answers_[std::min(texts.size(), answers_.size()) - 1];
  }
  std::string name_and_version() override { return "told"; }

  std::vector<std::string> texts;

 private:
  const std::vector<verifier::SolverAnswer> answers_;
};

const verifier::Solvers& Real() {
  static const verifier::Solvers& solvers = *new verifier::Solvers(*verifier::OpenSolvers({}));
  return solvers;
}

TEST(FloatProof, StatesARule) {
  EXPECT_EQ(StateRule(InModes(kPlusMinusZero, 0b00101), {3, 5}),
            "(declare-const bits (_ BitVec 8))\n"
            "(define-fun x () (_ FloatingPoint 3 5) ((_ to_fp 3 5) bits))\n"
            "(assert (or false\n"
            "  (not (= (fp.add RNE x (fp #b1 #b000 #b0000)) x))\n"
            "  (not (= (fp.add RTP x (fp #b1 #b000 #b0000)) x))))\n");
  EXPECT_TRUE(absl::StrContains(StateRule(kMaxOfNegated, {3, 5}), "(declare-const choice Bool)"));
}

TEST(FloatProof, ProvesWhatHolds) {
  for (const SmallFormat format : {kHalf, kSingle}) {
    for (const FloatRule& rule : {kPlusMinusZero, kSquareIsZero}) {
      const FloatProof proof = ProveRule(rule, format, Real(), kWork);
      EXPECT_EQ(proof.verdict, FloatVerdict::kProved) << rule.Describe() << ": " << proof.detail;
    }
  }
}

TEST(FloatProof, RefutesPlantedRules) {
  const FloatRule plus_zero = {
      {FloatOp::kAdd, {FloatOperand(), Constant(FloatConstant::kPlusZero)}}, {TargetKind::kVariable}, kAllModes};
  const FloatRule one_mode_too_many = InModes(kPlusMinusZero, kAllModes);
  const FloatRule underflow = InModes(kSquareIsZero, 0b00101);
  for (const SmallFormat format : {kHalf, kSingle}) {
    for (const FloatRule& rule : {plus_zero, one_mode_too_many, underflow, kMaxOfNegated}) {
      const FloatProof proof = ProveRule(rule, format, Real(), kWork);
      EXPECT_EQ(proof.verdict, FloatVerdict::kRefuted) << rule.Describe() << ": " << proof.detail;
    }
  }
}

TEST(FloatProof, AsksOfEachModeAndThenTheSecondSolver) {
  const verifier::SolverAnswer unknown = {.reason = "budget"}, unsat = {.answer = Answer::kUnsat};
  Told first({unknown, unsat, unknown, unsat}), second({unsat});
  const FloatProof proof = ProveRule(kPlusMinusZero, kHalf, {&first, &second}, kWork);
  EXPECT_EQ(proof.verdict, FloatVerdict::kProved);
  EXPECT_TRUE(proof.by_second);
  EXPECT_EQ(first.texts.size(), 5u);  // all modes, then RNE, RNA, RTP, RTZ
  ASSERT_EQ(second.texts.size(), 1u);
  EXPECT_TRUE(absl::StrContains(second.texts[0], "RNA"));
}

TEST(FloatProof, UnknownIsNoProof) {
  Told never({{.reason = "budget"}});
  EXPECT_EQ(ProveRule(kPlusMinusZero, kHalf, &never, kWork).verdict, FloatVerdict::kUnknown);
  EXPECT_EQ(ProveRule(kPlusMinusZero, kHalf, &never, kWork).detail, "budget");
  EXPECT_EQ(ProveRule(kPlusMinusZero, kHalf, verifier::Solvers(), kWork).verdict, FloatVerdict::kUnknown);
}

TEST(FloatProof, NoModeIsNoProof) {
  EXPECT_EQ(ProveRule(InModes(kPlusMinusZero, 0), kHalf, Real(), kWork).verdict, FloatVerdict::kUnknown);
}

TEST(FloatProof, BelievesNoModelThatEvaluationDoesNotBearOut) {
  Told lies({{.answer = Answer::kSat, .model = {{"bits", "3c00"}}}});
  EXPECT_EQ(ProveRule(kPlusMinusZero, kHalf, &lies, kWork).verdict, FloatVerdict::kUnknown);
  Told says_true({{.answer = Answer::kSat, .model = {{"bits", "0000"}}}});
  const FloatProof proof = ProveRule(InModes(kPlusMinusZero, kAllModes), kHalf, &says_true, kWork);
  EXPECT_EQ(proof.verdict, FloatVerdict::kRefuted);
  EXPECT_EQ(proof.detail, "x = 0x0");
  Told says_nothing({{.answer = Answer::kSat}});
  EXPECT_EQ(ProveRule(kPlusMinusZero, kHalf, &says_nothing, kWork).verdict, FloatVerdict::kUnknown);
}

TEST(FloatProof, CountsVerdictsInTheOrderOfRules) {
  const FloatProofs proofs = ProveRules({kPlusMinusZero, kMaxOfNegated, kSquareIsZero}, kHalf, Real(), kWork);
  ASSERT_EQ(proofs.proofs.size(), 3u);
  EXPECT_EQ(proofs.proofs[1].verdict, FloatVerdict::kRefuted);
  EXPECT_EQ(proofs.Count(FloatVerdict::kProved), 2u);
  EXPECT_EQ(proofs.Count(FloatVerdict::kUnknown), 0u);
  EXPECT_GT(proofs.seconds, 0);
}

}  // namespace
}  // namespace rewrought::peers
