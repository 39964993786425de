// Plants faults in solvers: a wrong, random or late answer must not prove a false rule or refute a true one.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "verifier/certificate.h"
#include "verifier/prover.h"
#include "verifier/sample_cases.h"
#include "verifier/worker/cvc5_process.h"

namespace rewrought::verifier {
namespace {

using ir::DenormMode;

// These are false rules, whose sides differ almost everywhere, and true rules. The vector tier is off (SolversOnly), so
// solvers must decide them.
constexpr char kFalseFloat[] = "(('fmul', ('fneg', 'a'), 'b'), ('fmul', 'a', 'b'))";
constexpr char kFalseInteger[] = "(('iadd', 'a', 'b'), ('ior', 'a', 'b'))";
constexpr char kTrueFloat[] = "(('fmul', ('fneg', 'a'), 'b'), ('fneg', ('fmul', 'a', 'b')))";
constexpr char kTrueInteger[] = "(('iadd', ('iand', 'a', 'b'), ('ior', 'a', 'b')), ('iadd', 'a', 'b'))";

// A solver that always returns the same answer, with a made-up model whose values `value` returns.
class Liar : public Solver {
 public:
  using MakeValue = std::function<std::string(std::mt19937_64&)>;
  explicit Liar(
      Answer answer, MakeValue value = [](std::mt19937_64&) { return "0"; })
      : answer_(answer), value_(std::move(value)) {}

  SolverAnswer Solve(const SolverQuery& query) override {
    ++asked;
    SolverAnswer answer;
    answer.answer = answer_;
    answer.solver = "liar";
    answer.work_ms = work_ms;
    last_work_ms = query.work_ms;
    if (answer_ == Answer::kUnknown) answer.reason = "budget";
    if (answer_ == Answer::kSat) {
      for (const std::string& name : query.wanted) answer.model[name] = value_(random_);
    }
    return answer;
  }
  std::string name_and_version() override { return "liar"; }

  int asked = 0;
  double work_ms = 0;  // the work that each answer reports
  uint32_t last_work_ms = 0;

 private:
  const Answer answer_;
  const MakeValue value_;
  std::mt19937_64 random_{1};
};

Solver* Cvc5() {
  static Solver* const cvc5 = new Cvc5Process(Cvc5Options{});
  return cvc5;
}

CaseResult Verify(Solver* solver, Solver* second, const RuleCase& rule_case, bool confirm = false) {
  ProverOptions options = SolversOnly();
  options.confirm = confirm;
  return Prover({solver, second}, options).Prove(rule_case);
}

TEST(SolverFaults, AnUnsatThatIsFalseIsNotConfirmed) {
  for (const auto& rule_case :
       {CaseOf(kFalseFloat, 32, DenormMode::kPreserve), CaseOf(kFalseInteger, 32, DenormMode::kNone)}) {
    Liar liar(Answer::kUnsat);
    // Without a second solver, the wrong answer is accepted, so the fault is effective.
    ASSERT_EQ(Verify(&liar, nullptr, rule_case).verdict, v1::VERDICT_PROVED);
    for (Solver* honest : {Cvc5(), SharedPool()}) {
      const CaseResult result = Verify(&liar, honest, rule_case, true);
      EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN);
      EXPECT_TRUE(absl::StrContains(result.reason, "disagree")) << result.reason;
      EXPECT_TRUE(result.confirmed_by.empty());
    }
  }
}

TEST(SolverFaults, AnUnsatThatIsFalseIsFoundByItsCertificate) {
  const RuleCase rule_case = CaseOf(kFalseFloat, 32, DenormMode::kPreserve);
  Liar liar(Answer::kUnsat);
  const absl::StatusOr<CaseResult> shown =
      ProveAgain(rule_case, *Verify(&liar, nullptr, rule_case).certificate, &liar, 10000);
  ASSERT_TRUE(shown.ok());
  const Certificate& certificate = *shown->certificate;
  EXPECT_TRUE(VerifyCertificate(rule_case, certificate, &liar, 10000).ok());
  EXPECT_EQ(VerifyCertificate(rule_case, certificate, SharedPool(), 10000).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(SolverFaults, AFalseUnsatLosesToVectors) {
  Liar liar(Answer::kUnsat);
  for (const char* rule : {kFalseFloat, kFalseInteger}) {
    EXPECT_EQ(Prover({&liar, &liar}, ProverOptions{}).Prove(CaseOf(rule, 32, DenormMode::kPreserve)).verdict,
              v1::VERDICT_REFUTED);
  }
}

TEST(SolverFaults, AModelThatIsNoneNeverRefutes) {
  const Liar::MakeValue values[] = {
      [](std::mt19937_64&) { return std::string("0"); },
      [](std::mt19937_64& random) { return absl::StrCat(absl::Hex(random() & 0x7fffffff)); },
      [](std::mt19937_64& random) { return std::string(random() % 2 ? "1" : "0"); },
  };
  for (const Liar::MakeValue& value : values) {
    for (const auto& rule_case : {CaseOf(kTrueFloat, 32, DenormMode::kAny), CaseOf(kTrueFloat, 32, DenormMode::kFlush),
                                  CaseOf(kTrueInteger, 32, DenormMode::kNone)}) {
      Liar liar(Answer::kSat, value);
      const CaseResult result = Verify(&liar, &liar, rule_case);
      EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN);
      EXPECT_FALSE(result.witness.has_value());
      EXPECT_GT(liar.asked, 0);
      EXPECT_LT(liar.asked, 1000);
    }
  }
}

TEST(SolverFaults, AModelThatIsGarbageIsMalformed) {
  for (const char* garbage : {"", "x", "-1", "0x", "ffffffffffffffffffffffff", "100000000", "nan", "\xff"}) {
    Liar liar(Answer::kSat, [&](std::mt19937_64&) { return std::string(garbage); });
    const CaseResult result = Verify(&liar, nullptr, CaseOf(kTrueInteger, 32, DenormMode::kNone));
    EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN) << garbage;
    EXPECT_TRUE(absl::StrContains(result.reason, "malformed") || absl::StrContains(result.reason, "model"))
        << garbage << ": " << result.reason;
    // Garbage does not refute a false rule either, because the point was never evaluated.
    EXPECT_EQ(Verify(&liar, nullptr, CaseOf(kFalseInteger, 32, DenormMode::kNone)).verdict, v1::VERDICT_UNKNOWN)
        << garbage;
  }
}

TEST(SolverFaults, AModelOutsideThePreconditionsNeverRefutes) {
  // The rule holds if a is nonzero, but every model of this solver has a = 0.
  RuleCase rule_case = CaseOf("(('fneu', 'a(is_not_zero)', 0.0), True)", 32, DenormMode::kPreserve);
  Liar liar(Answer::kSat);
  const CaseResult result = Verify(&liar, nullptr, rule_case);
  EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN);
  EXPECT_TRUE(absl::StrContains(result.reason, "preconditions")) << result.reason;
}

TEST(SolverFaults, LatenessIsUnknown) {
  for (const char* rule : {kTrueFloat, kFalseFloat}) {
    Liar late(Answer::kUnknown);
    const CaseResult result = Verify(&late, &late, CaseOf(rule, 32, DenormMode::kAny));
    EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN);
    EXPECT_TRUE(absl::StrContains(result.reason, "budget")) << result.reason;
    EXPECT_FALSE(result.certificate.has_value());
  }
  // Real solvers run out of time: f64 reciprocal division takes longer than any budget here.
  ProverOptions options = SolversOnly();
  options.budget_scale = 0.001;
  const Prover prover({SharedPool(), Cvc5()}, options);
  for (const char* rule : {"(('fadd', ('fadd', 'a', 'b'), 'c'), ('fadd', 'a', ('fadd', 'b', 'c')))",
                           "(('flt', ('fadd', 'a', 'b'), ('fadd', 'a', 'c')), ('iand', ('flt', 'b', 'c'), ('flt', "
                           "('fadd', 'a', 'b'), ('fadd', 'a', 'c'))))"}) {
    const CaseResult result = prover.Prove(CaseOf(rule, 64, DenormMode::kPreserve));
    EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN) << rule;
  }
}

TEST(SolverFaults, ACaseTakesNoMoreThanItsBudget) {
  Liar late(Answer::kUnknown);
  late.work_ms = 600;
  ProverOptions options = SolversOnly();
  options.budgets.whole_case = 1000;
  EXPECT_EQ(Prover({&late, &late}, options).Prove(CaseOf(kTrueFloat, 32, DenormMode::kAny)).verdict,
            v1::VERDICT_UNKNOWN);
  EXPECT_EQ(late.asked, 2);  // the third tier has no time left
  EXPECT_EQ(late.last_work_ms, 400u);
}

TEST(SolverFaults, NoSolverIsUnknown) {
  const CaseResult result = Verify(nullptr, nullptr, CaseOf(kTrueFloat, 32, DenormMode::kAny));
  EXPECT_EQ(result.verdict, v1::VERDICT_UNKNOWN);
}

// Unsatisfiable preconditions must not prove a rule.
TEST(VacuousCases, ContradictoryPreconditionsAreVacuous) {
  RuleCase rule_case = CaseOf("(('fadd', 'a', 'b'), ('fmul', 'a', 'b'))", 32, DenormMode::kAny);
  for (ir::Node& node : rule_case.search.nodes) {
    if (node.kind == ir::NodeKind::kVariable && node.name == "a")
      node.predicates = {"is_a_number_not_negative", "is_lt_zero"};
  }
  const CaseResult result = Prover(SharedPool(), ProverOptions{}).Prove(rule_case);
  EXPECT_EQ(result.verdict, v1::VERDICT_VACUOUS);
  EXPECT_FALSE(result.certificate.has_value());
  // The verdict is vacuous even if both sides are equal by construction.
  RuleCase same = rule_case;
  same.replace = same.search;
  EXPECT_EQ(Prover(SharedPool(), ProverOptions{}).Prove(same).verdict, v1::VERDICT_VACUOUS);
  const char* const one_bit = "(('imul', 'a@1', '#b@1(is_pos_power_of_two)'), 0)";
  EXPECT_EQ(Prover(SharedPool(), ProverOptions{}).Prove(CaseOf(one_bit, 0, DenormMode::kNone)).verdict,
            v1::VERDICT_VACUOUS);
  // A solver must find an admissible input, and the evaluator must check it.
  EXPECT_EQ(Prover({}, ProverOptions{}).Prove(rule_case).verdict, v1::VERDICT_UNKNOWN);
  Liar late(Answer::kUnknown), liar(Answer::kSat);
  EXPECT_EQ(Prover(&late, ProverOptions{}).Prove(rule_case).verdict, v1::VERDICT_UNKNOWN);
  EXPECT_EQ(Prover(&liar, ProverOptions{}).Prove(rule_case).verdict, v1::VERDICT_UNKNOWN);
}

}  // namespace
}  // namespace rewrought::verifier
