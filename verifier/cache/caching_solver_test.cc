// Checks that repeated queries reach the solver once, that different queries are never answered from the cache, and
// that the only cached unknown answer is an exhausted budget.
#include "verifier/cache/caching_solver.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace rewrought::verifier {
namespace {

class CountingSolver : public Solver {
 public:
  SolverAnswer Solve(const SolverQuery& query) override {
    ++asked;
    SolverAnswer result;
    result.answer = answer;
    result.reason = reason;
    result.work_ms = work_ms;
    result.solver = absl::StrCat("asked ", query.text, " ", query.wanted.size(), " ", static_cast<int>(query.tactic));
    return result;
  }
  std::string name_and_version() override { return "counting 1"; }
  int asked = 0;
  Answer answer = Answer::kUnsat;
  std::string reason;
  double work_ms = 0;
};

TEST(CachingSolver, AnswersTheSameQuestionOnce) {
  CountingSolver behind;
  CachingSolver solver(&behind);
  SolverQuery query{Tactic::kNative, "(assert true)"};
  EXPECT_EQ(solver.Solve(query).solver, "asked (assert true) 0 1");
  query.work_ms = 5;
  EXPECT_EQ(solver.Solve(query).answer, Answer::kUnsat);
  EXPECT_EQ(behind.asked, 1);
  EXPECT_EQ(solver.cached(), 1u);
  EXPECT_EQ(solver.name_and_version(), "counting 1");
}

TEST(CachingSolver, TakesNoOtherQuestionForTheSame) {
  CountingSolver behind;
  CachingSolver solver(&behind);
  solver.Solve({Tactic::kNative, "(assert true)"});
  EXPECT_EQ(solver.Solve({Tactic::kUninterpreted, "(assert true)"}).solver, "asked (assert true) 0 0");
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert  true)"}).solver, "asked (assert  true) 0 1");
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 1000, {"i0"}}).solver, "asked (assert true) 1 1");
  EXPECT_EQ(behind.asked, 4);
  EXPECT_EQ(solver.cached(), 0u);
}

TEST(CachingSolver, AsksAnewWhatWasUnknown) {
  CountingSolver behind;
  behind.answer = Answer::kUnknown;
  behind.reason = "cancelled";
  CachingSolver solver(&behind);
  solver.Solve({Tactic::kNative, "(assert true)"});
  behind.answer = Answer::kSat;
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)"}).answer, Answer::kSat);
  EXPECT_EQ(behind.asked, 2);
}

TEST(CachingSolver, WantOfBudgetIsKeptForThoseWithNoMoreOfIt) {
  CountingSolver behind;
  behind.answer = Answer::kUnknown;
  behind.reason = "budget";
  CachingSolver solver(&behind);
  solver.Solve({Tactic::kNative, "(assert true)", 1000});
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 900}).reason, "budget");
  EXPECT_EQ(behind.asked, 1);
  behind.answer = Answer::kSat;
  behind.work_ms = 1000.5;
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 1001}).answer, Answer::kSat);
  // The result must be the same as if this were the first query.
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 1000}).answer, Answer::kUnknown);
  EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 1002}).answer, Answer::kSat);
  EXPECT_EQ(behind.asked, 2);
}

TEST(CachingSolver, TheClocksUnknownIsAskedAnew) {
  CountingSolver behind;
  behind.answer = Answer::kUnknown;
  CachingSolver solver(&behind);
  for (const char* reason : {"time", "time (worker killed)", "worker died: signal 9"}) {
    behind.reason = reason;
    EXPECT_EQ(solver.Solve({Tactic::kNative, "(assert true)", 1000}).reason, reason);
  }
  EXPECT_EQ(behind.asked, 3);
}

TEST(CachingSolver, ForgetsTheOldest) {
  CountingSolver behind;
  CachingSolver solver(&behind, 40);
  for (const char* text : {"(assert a)", "(assert b)", "(assert c)", "(assert d)"})
    solver.Solve({Tactic::kNative, text});
  solver.Solve({Tactic::kNative, "(assert d)"});
  EXPECT_EQ(behind.asked, 4);
  solver.Solve({Tactic::kNative, "(assert a)"});
  EXPECT_EQ(behind.asked, 5);
}

}  // namespace
}  // namespace rewrought::verifier
