// Tests that work is not repeated if its inputs are unchanged, and that workers report their work.
#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "machine/machine.h"
#include "pipeline/discovery/discover.h"
#include "pipeline/sites/measure.h"
#include "pipeline/testing/pipeline_testing.h"
#include "pipeline/watch/done_before.h"
#include "pipeline/watch/worker_board.h"

namespace rewrought::pipeline {
namespace {

TEST_F(PipelineTest, WhatIsMeasuredAndStandsIsNotMeasuredAgain) {
  std::unique_ptr<store::Store> store = OpenStore("m.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  ListedSearch search(*machine_, Programs());
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, Options()).ok());
  const auto measured = [&](const machine::Machine& machine) {
    const absl::StatusOr<MeasureReport> report = MeasureRules(store.get(), machine, {});
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() && !report->unchanged;
  };
  EXPECT_TRUE(measured(*machine_));
  EXPECT_FALSE(measured(*machine_));
  // If the cost of an instruction changes, the rules must be measured again.
  v1::Machine description = machine_->description();
  ASSERT_GT(description.costs_size(), 0);
  description.mutable_costs(0)->set_issue_cycles(description.costs(0).issue_cycles() + 1);
  std::string dearer_text;
  google::protobuf::TextFormat::PrintToString(description, &dearer_text);
  const auto dearer = machine::ParseMachine(dearer_text, "dearer.textproto");
  ASSERT_TRUE(dearer.ok()) << dearer.status();
  EXPECT_TRUE(measured(**dearer));
  EXPECT_FALSE(measured(**dearer));
  EXPECT_FALSE(measured(*machine_)) << "the more expensive machine has overwritten the first machine's figures";
  // The rules must also be measured again after a new shader with a known fragment is added, and after a source is
  // marked as held out.
  PutTerms(store.get(), "two", false, {Fragments()[0]});
  EXPECT_TRUE(measured(*machine_));
  ASSERT_TRUE(store::CorpusStore(store.get()).PutSource("two", true).ok());
  EXPECT_TRUE(measured(*machine_));
  EXPECT_FALSE(measured(*machine_));
}

TEST_F(PipelineTest, AnotherProgramDoesItAgain) {
  std::unique_ptr<store::Store> store = OpenStore("d.db");
  const WorkLog::Inputs inputs = WorkLog::Inputs().Add("corpus").Add("rules");
  const auto has = [&](const std::string& program, absl::string_view work, const WorkLog::Inputs& in,
                       const WorkLog::Inputs& out) {
    const absl::StatusOr<bool> done = WorkLog(store.get(), program).Has(work, in, out);
    EXPECT_TRUE(done.ok()) << done.status();
    return done.ok() && *done;
  };
  ASSERT_TRUE(WorkLog(store.get(), "one").Note("measure", inputs, {}).ok());
  EXPECT_TRUE(has("one", "measure", inputs, {}));
  EXPECT_FALSE(has("other", "measure", inputs, {}));
  EXPECT_FALSE(has("one", "export", inputs, {}));
  EXPECT_FALSE(has("one", "measure", WorkLog::Inputs().Add("corpusrules"), {}));
  EXPECT_FALSE(has("one", "measure", inputs, WorkLog::Inputs().Add("left")));
  // A program that cannot read its own file has an empty digest, and nothing is recorded for it.
  ASSERT_TRUE(WorkLog(store.get(), "").Note("measure", inputs, {}).ok());
  EXPECT_FALSE(has("", "measure", inputs, {}));
  EXPECT_EQ(ProgramDigest().size(), 64u);
}

TEST_F(PipelineTest, WorkersTellWhatTheyAreAt) {
  std::unique_ptr<store::Store> store = OpenStore("w.db");
  PutTerms(store.get(), "one", false, StoredTexts());
  WorkerBoard board;
  std::vector<std::string> seen;
  class Looking : public ListedSearch {
   public:
    Looking(const machine::Machine& machine, WorkerBoard* board, std::vector<std::string>* seen)
        : ListedSearch(machine, Programs()), board_(board), seen_(seen) {}
    absl::StatusOr<enumerator::SearchStatistics> Search(const enumerator::SearchGoal& goal, std::stop_token stop,
                                                        const std::function<bool(machine::Program)>& found) override {
      for (const WorkerBoard::State& state : board_->All()) {
        seen_->push_back(
            absl::StrCat(state.name, state.idle ? " idle " : " busy ", state.what.empty() ? "" : "at one"));
      }
      return ListedSearch::Search(goal, stop, found);
    }
    WorkerBoard* const board_;
    std::vector<std::string>* const seen_;
  } search(*machine_, &board, &seen);
  DiscoverOptions options = Options();
  options.workers = &board;
  std::vector<std::string> left;
  options.time_left = [&](const std::string& text) { left.push_back(text); };
  ASSERT_TRUE(Discover(store.get(), *machine_, &search, solvers_, options).ok());
  ASSERT_FALSE(seen.empty());
  for (const std::string& one : seen) EXPECT_EQ(one, absl::StrCat("search 1 of ", kMachine, " busy at one"));
  EXPECT_TRUE(board.All().empty());
  // There is too little progress for an estimate.
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left.front(), "fragments: remaining time unknown, then longer programs, remaining time unknown");
}

}  // namespace
}  // namespace rewrought::pipeline
