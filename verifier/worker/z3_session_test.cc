// Checks that the answer reports which limit ended a request: units, processor time or wall clock.
#include "verifier/worker/z3_session.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

// Solves a query about products of two variables, which takes Z3 minutes.
SolverAnswer AnswerWithin(const QueryLimits& limits) {
  WorkerRequest request;
  request.tactic = Tactic::kNative;
  request.limits = limits;
  request.text = R"(
    (declare-const a (_ BitVec 64))
    (declare-const b (_ BitVec 64))
    (assert (not (= (bvmul a (bvadd b a)) (bvadd (bvmul a a) (bvmul b a))))))";
  return Z3Session().Answer(request).answer;
}

TEST(Z3Session, SaysWhatEndedIt) {
  EXPECT_EQ(AnswerWithin({1'000'000, 60'000, 60'000}).reason, "budget");
  EXPECT_EQ(AnswerWithin({4'000'000'000, 500, 60'000}).reason, "budget (processor)");
  EXPECT_EQ(AnswerWithin({4'000'000'000, 60'000, 500}).reason, "time");
}

}  // namespace
}  // namespace rewrought::verifier
