#include "verifier/solvers.h"

#include <gtest/gtest.h>

namespace rewrought::verifier {
namespace {

class CountingSolver : public Solver {
 public:
  explicit CountingSolver(std::string name, bool* gone = nullptr) : name_(std::move(name)), gone_(gone) {}
  ~CountingSolver() override {
    if (gone_ != nullptr) *gone_ = true;
  }
  SolverAnswer Solve(const SolverQuery&) override {
    ++asked;
    return {.answer = Answer::kUnsat, .solver = name_};
  }
  std::string name_and_version() override { return name_; }

  int asked = 0;

 private:
  const std::string name_;
  bool* const gone_;
};

TEST(Solvers, NoneIsNull) {
  EXPECT_EQ(Solvers().first(), nullptr);
  EXPECT_EQ(Solvers().confirming(), nullptr);
  EXPECT_TRUE(Solvers().versions().empty());
  EXPECT_EQ(Solvers().Cached().first(), nullptr);
}

TEST(Solvers, HandsOutTheTwoInTheirRoles) {
  CountingSolver z3("Z3 4"), cvc5("cvc5 1");
  const Solvers both(&z3, &cvc5);
  EXPECT_EQ(both.first(), &z3);
  EXPECT_EQ(both.confirming(), &cvc5);
  EXPECT_EQ(both.versions(), (std::vector<std::string>{"Z3 4", "cvc5 1"}));
  EXPECT_EQ(both.FirstAlone().first(), &z3);
  EXPECT_EQ(both.FirstAlone().confirming(), nullptr);
}

TEST(Solvers, EachSolverHasACacheOfItsOwnThatCopiesShare) {
  CountingSolver z3("Z3 4"), cvc5("cvc5 1");
  const Solvers cached = Solvers(&z3, &cvc5).Cached(), copy = cached.FirstAlone();
  const SolverQuery query{.text = "(assert true)"};
  EXPECT_EQ(cached.first()->Solve(query).solver, "Z3 4");
  EXPECT_EQ(copy.first()->Solve(query).solver, "Z3 4");
  EXPECT_EQ(cached.confirming()->Solve(query).solver, "cvc5 1");
  EXPECT_EQ(z3.asked, 1);
  EXPECT_EQ(cvc5.asked, 1);
  Solvers(&z3, &cvc5).Cached().first()->Solve(query);
  EXPECT_EQ(z3.asked, 2);  // a new cache
}

TEST(Solvers, OwnedOnesLiveAsLongAsTheLastCopy) {
  bool gone = false;
  Solvers cached;
  {
    const Solvers owned(std::make_shared<CountingSolver>("Z3 4", &gone), nullptr, 3);
    cached = owned.Cached();
    EXPECT_EQ(cached.parallel(), 3);
  }
  EXPECT_FALSE(gone);
  EXPECT_EQ(cached.first()->name_and_version(), "Z3 4");
  cached = Solvers();
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace rewrought::verifier
