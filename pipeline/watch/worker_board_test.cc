#include "pipeline/watch/worker_board.h"

#include <memory>

#include "gtest/gtest.h"

namespace rewrought::pipeline {
namespace {

class WorkerBoardTest : public testing::Test {
 protected:
  WorkerBoard::Clock::time_point now_;
  WorkerBoard board_{[this] { return now_; }};
  void Pass(int seconds) { now_ += std::chrono::seconds(seconds); }
};

TEST_F(WorkerBoardTest, NamesWhoHasNothingToDoAndWhoGetsNoResult) {
  WorkerBoard::Worker idle(&board_, "search 1"), busy(&board_, "search 2"), good(&board_, "search 3");
  busy.Begin("('fadd', a, b)");
  good.Begin("('fmul', a, b)");
  Pass(100);
  good.Result();
  EXPECT_EQ(StarvedText(board_.Starved(120)), "");
  Pass(30);
  EXPECT_EQ(StarvedText(board_.Starved(120)),
            "search 1: nothing to do for 130 s; search 2: no result for 130 s, at ('fadd', a, b)");
  // A result or new work ends the starvation.
  busy.Result();
  idle.Begin("x");
  EXPECT_EQ(StarvedText(board_.Starved(120)), "");
  Pass(121);
  EXPECT_EQ(board_.Starved(120).size(), 3u);
  EXPECT_EQ(board_.Starved(150).size(), 1u);
  EXPECT_EQ(board_.Starved(150)[0].name, "search 3");
}

TEST_F(WorkerBoardTest, WaitingBeginsWhenWorkEnds) {
  auto worker = std::make_unique<WorkerBoard::Worker>(&board_, "search 1");
  worker->Begin("x");
  Pass(119);
  worker->Result();
  worker->Idle();
  Pass(119);
  EXPECT_TRUE(board_.Starved(120).empty());
  Pass(1);
  ASSERT_EQ(board_.Starved(120).size(), 1u);
  EXPECT_TRUE(board_.All()[0].idle);
  EXPECT_EQ(board_.All()[0].what, "");
  EXPECT_EQ(board_.All()[0].results, 1u);
  worker = nullptr;
  EXPECT_TRUE(board_.All().empty());
}

}  // namespace
}  // namespace rewrought::pipeline
