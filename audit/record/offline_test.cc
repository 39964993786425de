// Checks that an offline answer rests only on the lines of the verdict file and on the prover without solvers: a wrong
// rule is refuted, and neither a stale line nor the key of another rule proves a rule.
#include "audit/record/offline.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "verifier/cache/unsat_digests.h"

namespace rewrought::audit {
namespace {

using Json = nlohmann::json;

// Returns a solver that answers kUnsat to every query, so the tests need no process. The prover uses it only for rules
// that are right.
verifier::RecordedSolver AgreeableSolver() {
  return verifier::RecordedSolver([](const std::string&) { return true; });
}

MesaRule RuleOf(const std::string& search, const std::string& replace) {
  MesaRule rule;
  rule.search = search;
  rule.replace = replace;
  return rule;
}

// This rule is right, and only a solver can decide it at 64 bits.
MesaRule RightRule() { return RuleOf("('umin@64', ('umax', 'a', 'b'), 'a')", "'a'"); }
MesaRule WrongRule() { return RuleOf("('isub@32', 'a', 'b')", "('isub', 'b', 'a')"); }

std::unique_ptr<Question> Ask(const MesaRule& rule, ir::Dialect dialect = ir::Dialect::kNir26,
                              const std::string& limits = "limits") {
  verifier::RuleCheckOptions check;
  check.dialect = dialect;
  check.modes = {ir::DenormMode::kAny};
  return MakeQuestion(rule, {}, check, limits);
}

Json Offline(const MesaRule& rule, const TreeVerdicts& verdicts) {
  return AnswerOffline(*Ask(rule), verdicts, verifier::Prover({}, {}), false, std::chrono::minutes(1));
}

TreeVerdict LineFor(const MesaRule& rule, v1::Verdict verdict, std::vector<std::string> queries = {}) {
  return {rule.Id(), verdict, ShortKey(Ask(rule)->key), std::move(queries)};
}

std::vector<std::string> QueriesOf(const MesaRule& rule) {
  verifier::RecordedSolver solver = AgreeableSolver();
  const Json answer = AnswerOf(*Ask(rule), verifier::Prover(&solver, {}));
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_PROVED);
  return answer["unsat"].get<std::vector<std::string>>();
}

TEST(Offline, TakesTheClassOfAMatchingKey) {
  TreeVerdicts verdicts;
  verdicts.Add(LineFor(RightRule(), v1::VERDICT_INEXACT));
  const Json answer = Offline(RightRule(), verdicts);
  EXPECT_EQ(answer["offline"], "recorded");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_INEXACT);
}

TEST(Offline, NamesARuleThatOnlyASolverDecides) {
  const Json answer = Offline(RightRule(), {});
  EXPECT_EQ(answer["offline"], "missing");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_UNKNOWN);
}

TEST(Offline, ProvesARuleFromItsQueriesEvenIfTheKeyIsStale) {
  const std::vector<std::string> queries = QueriesOf(RightRule());
  ASSERT_FALSE(queries.empty());
  TreeVerdict line = LineFor(RightRule(), v1::VERDICT_PROVED, queries);
  line.key = "AAAAAAAAAAAAAAAA";
  TreeVerdicts stale;
  stale.Add(line);
  const Json answer = Offline(RightRule(), stale);
  EXPECT_EQ(answer["offline"], "verified");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_PROVED);
  // The proof needs each of its queries.
  for (size_t i = 0; i < queries.size(); ++i) {
    TreeVerdict less = line;
    less.queries.erase(less.queries.begin() + static_cast<ptrdiff_t>(i));
    TreeVerdicts lacking;
    lacking.Add(less);
    EXPECT_EQ(Offline(RightRule(), lacking)["offline"], "missing") << i;
  }
}

TEST(Offline, RefutesAWrongRuleWithAWitness) {
  // The lines of another rule, even with its queries, do not help, and neither does a stale line of the rule itself.
  TreeVerdict stale = LineFor(WrongRule(), v1::VERDICT_PROVED, QueriesOf(RightRule()));
  stale.key = LineFor(RightRule(), v1::VERDICT_PROVED).key;
  TreeVerdicts verdicts;
  verdicts.Add(stale);
  const Json answer = Offline(WrongRule(), verdicts);
  EXPECT_EQ(answer["offline"], "verified");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_REFUTED);
  EXPECT_TRUE(answer["cases"][0].contains("witness"));
}

TEST(Offline, FindsTheWitnessOfARecordedRefutationOnRequest) {
  TreeVerdicts verdicts;
  verdicts.Add(LineFor(WrongRule(), v1::VERDICT_REFUTED));
  verdicts.Add(LineFor(RightRule(), v1::VERDICT_REFUTED));
  const verifier::Prover prover({}, {});
  EXPECT_FALSE(AnswerOffline(*Ask(WrongRule()), verdicts, prover, false).contains("cases"));
  const Json answer = AnswerOffline(*Ask(WrongRule()), verdicts, prover, true);
  EXPECT_EQ(answer["offline"], "recorded");
  EXPECT_TRUE(answer["cases"][0].contains("witness"));
  // If there is no witness, the recorded class remains.
  EXPECT_EQ(ClassOf(AnswerOffline(*Ask(RightRule()), verdicts, prover, true)), v1::VERDICT_REFUTED);
}

TEST(Offline, AKeyCoversTheDialectTheModesAndTheLimits) {
  TreeVerdicts verdicts;
  verdicts.Add(LineFor(RightRule(), v1::VERDICT_PROVED));
  const verifier::Prover prover({}, {});
  EXPECT_EQ(AnswerOffline(*Ask(RightRule()), verdicts, prover)["offline"], "recorded");
  EXPECT_EQ(AnswerOffline(*Ask(RightRule(), ir::Dialect::kNir25), verdicts, prover)["offline"], "missing");
  EXPECT_EQ(AnswerOffline(*Ask(RightRule(), ir::Dialect::kNir26, "other"), verdicts, prover)["offline"], "missing");
  verifier::RuleCheckOptions check;
  check.dialect = ir::Dialect::kNir26;
  check.modes = {ir::DenormMode::kFlush};
  EXPECT_EQ(AnswerOffline(*MakeQuestion(RightRule(), {}, check, "limits"), verdicts, prover)["offline"], "missing");
}

TEST(Offline, DoesNotRefuteARuleThatOnlyASolverFindsInexact) {
  // A solver can prove that the rule holds if medium precision is ignored; its class is then inexact.
  const MesaRule rule = RuleOf("('i2i32', ('i2imp', ('umin@32', ('umax', 'a', 'b'), 'a')))", "'a'");
  const auto question = Ask(rule, ir::Dialect::kNir25);
  ASSERT_TRUE(question->entry.rule.ok()) << question->entry.rule.status();
  verifier::RecordedSolver solver = AgreeableSolver();
  ASSERT_EQ(ClassOf(AnswerOf(*question, verifier::Prover(&solver, {}))), v1::VERDICT_INEXACT);
  const Json answer = AnswerOffline(*question, {}, verifier::Prover({}, {}), false, std::chrono::minutes(1));
  EXPECT_EQ(answer["offline"], "missing");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_UNKNOWN);
}

TEST(Offline, EndsAfterTheGivenTime) {
  const auto start = std::chrono::steady_clock::now();
  const Json answer =
      AnswerOffline(*Ask(RightRule()), {}, verifier::Prover({}, {}), false, std::chrono::milliseconds(0));
  EXPECT_EQ(answer["offline"], "missing");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// The cases that were not reached may be wrong over the reals.
TEST(Offline, ARuleThatRanOutOfTimeIsNotInexact) {
  const MesaRule rule = RuleOf("('~fadd', ('fadd', 'a', 'b'), ('fneg', 'b'))", "'a'");
  EXPECT_EQ(ClassOf(Offline(rule, {})), v1::VERDICT_INEXACT);
  std::stop_source stop;
  stop.request_stop();
  verifier::ProverOptions options;
  options.cancel = stop.get_token();
  const Json answer = AnswerOffline(*Ask(rule), {}, verifier::Prover({}, options));
  EXPECT_EQ(answer["offline"], "missing");
  EXPECT_EQ(ClassOf(answer), v1::VERDICT_UNKNOWN);
}

}  // namespace
}  // namespace rewrought::audit
