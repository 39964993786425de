#include "verifier/worker/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "verifier/worker/sample_queries.h"

namespace rewrought::verifier {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::unique_ptr<WorkerPool> MakePool(int workers) {
  WorkerPoolOptions options;
  options.workers = workers;
  absl::StatusOr<std::unique_ptr<WorkerPool>> pool = WorkerPool::Create(options);
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

SolverQuery Trivial(int value) {
  SolverQuery query;
  query.tactic = Tactic::kUninterpreted;
  query.timeout_ms = 10'000;
  query.text = absl::StrCat("(declare-const a (_ BitVec 32))(assert (= (bvadd a (_ bv1 32)) (_ bv", value, " 32)))");
  query.wanted = {"a"};
  return query;
}

TEST(WorkerPool, SamplesGetTheirAnswersAndModelsHold) {
  const std::unique_ptr<WorkerPool> pool = MakePool(2);
  int models = 0;
  for (const SampleQuery& sample : LoadSampleQueries(20'000)) {
    const SolverAnswer answer = pool->Solve(sample.query);
    ASSERT_EQ(answer.answer, sample.expected) << sample.name << ": " << answer.reason;
    EXPECT_TRUE(absl::StartsWith(answer.solver, "Z3 4.")) << answer.solver;
    EXPECT_GT(answer.milliseconds, 0);
    // The queries take at most 0.5 s here. A strategy that falls back to the default solver takes more than 3 s on some
    // of the mixed queries.
    EXPECT_LT(answer.milliseconds, 5000) << sample.name;
    if (answer.answer != Answer::kSat) {
      EXPECT_TRUE(answer.model.empty());
      continue;
    }
    ASSERT_EQ(answer.model.size(), sample.query.wanted.size()) << sample.name;
    if (answer.model.empty() || answer.model.count("p") != 0) continue;
    EXPECT_EQ(pool->Solve(WithModel(sample.query, answer)).answer, Answer::kSat) << sample.name;
    ++models;
  }
  EXPECT_GE(models, 6);
  EXPECT_EQ(pool->stats().died, 0u);
}

TEST(WorkerPool, ModelValuesAreHexOfTheirWidth) {
  SolverQuery query;
  query.text =
      "(declare-const p Bool)(declare-const |a b| (_ BitVec 5))(declare-const unused (_ BitVec 16))"
      "(declare-const f (_ FloatingPoint 5 11))(assert (and (not p) (= |a b| #b10110)))";
  query.wanted = {"p", "a b", "unused", "f"};
  const SolverAnswer answer = MakePool(1)->Solve(query);
  ASSERT_EQ(answer.answer, Answer::kSat) << answer.reason;
  EXPECT_EQ(answer.model.at("p"), "0");
  EXPECT_EQ(answer.model.at("a b"), "16");
  EXPECT_EQ(answer.model.at("unused").size(), 4u);
  EXPECT_EQ(answer.model.count("f"), 0u);
}

TEST(WorkerPool, NothingOfAQueryStaysForTheNext) {
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  SolverQuery first = Trivial(1);
  first.text += "(assert false)(declare-const b Bool)";
  EXPECT_EQ(pool->Solve(first).answer, Answer::kUnsat);
  EXPECT_EQ(pool->Solve(Trivial(1)).answer, Answer::kSat);
  SolverQuery other_sort = Trivial(1);
  other_sort.text += "(declare-const b (_ BitVec 8))(assert (= b #x2a))";
  other_sort.wanted.push_back("b");
  EXPECT_EQ(pool->Solve(other_sort).model["b"], "2a");
  SolverQuery undeclared = Trivial(1);
  undeclared.text += "(assert b)";
  EXPECT_TRUE(absl::StartsWith(pool->Solve(undeclared).reason, "parse: "));
}

TEST(WorkerPool, TrivialQueriesOutliveManyContexts) {
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  const auto start = SteadyClock::now();
  constexpr int kQueries = 1000;
  for (int i = 0; i < kQueries; ++i) {
    const SolverAnswer answer = pool->Solve(Trivial(i + 1));
    ASSERT_EQ(answer.answer, Answer::kSat) << answer.reason;
    ASSERT_EQ(std::stoi(answer.model.at("a"), nullptr, 16), i);
  }
  const std::chrono::duration<double> seconds = SteadyClock::now() - start;
  std::cout << "trivial queries on one worker: " << kQueries / seconds.count() << " per second\n";
  EXPECT_EQ(pool->stats().spawned, 1u);
}

TEST(WorkerPool, FourThreadsShareTwoWorkers) {
  const std::unique_ptr<WorkerPool> pool = MakePool(2);
  const std::vector<SampleQuery> samples = LoadSampleQueries(20'000);
  std::atomic<int> wrong = 0;
  const auto start = SteadyClock::now();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 300; ++i) {
          const int value = thread * 1000 + i + 1;
          if (pool->Solve(Trivial(value)).model["a"] != absl::StrCat(absl::Hex(value - 1, absl::kZeroPad8))) ++wrong;
          if (i % 50 != 0) continue;
          const SampleQuery& sample = samples[(thread * 7 + i / 50) % samples.size()];
          if (pool->Solve(sample.query).answer != sample.expected) ++wrong;
        }
      });
    }
  }
  const std::chrono::duration<double> seconds = SteadyClock::now() - start;
  std::cout << "four threads, two workers: " << 1224 / seconds.count() << " queries per second\n";
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pool->stats().queries, 1224u);
  EXPECT_EQ(pool->stats().unknown, 0u);
  EXPECT_LE(pool->stats().spawned, 2u);
}

TEST(WorkerPool, TimeIsKept) {
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  const auto start = SteadyClock::now();
  SolverQuery query = HardQuery(500);
  query.work_ms = 20'000;
  const SolverAnswer answer = pool->Solve(query);
  const auto taken = SteadyClock::now() - start;
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_EQ(answer.reason, "time");
  EXPECT_LT(taken, std::chrono::milliseconds(500 + 1000 + 500));
  EXPECT_EQ(pool->Solve(Trivial(1)).answer, Answer::kSat);
}

TEST(WorkerPool, BudgetsAreCountedAlikeByEveryWorker) {
  const std::unique_ptr<WorkerPool> pool = MakePool(1), other = MakePool(1);
  std::vector<SampleQuery> samples = LoadSampleQueries(0);
  std::vector<double> work;
  int ended = 0;
  for (SampleQuery& sample : samples) {
    sample.query.work_ms = 20'000;
    const SolverAnswer decided = pool->Solve(sample.query);
    ASSERT_EQ(decided.answer, sample.expected) << sample.name << ": " << decided.reason;
    work.push_back(decided.work_ms);
    if (decided.work_ms < 4) continue;
    SolverQuery less = sample.query;
    less.work_ms = static_cast<uint32_t>(decided.work_ms / 2);
    const SolverAnswer open = pool->Solve(less);
    EXPECT_EQ(open.answer, Answer::kUnknown) << sample.name;
    EXPECT_EQ(open.reason, "budget") << sample.name;
    ++ended;
  }
  EXPECT_GE(ended, 10);
  // A query's work must not depend on the worker's previous queries or on their order.
  for (size_t i = samples.size(); i-- > 0;)
    EXPECT_EQ(other->Solve(samples[i].query).work_ms, work[i]) << samples[i].name;
  SolverQuery hard = HardQuery(0);
  hard.work_ms = 100;
  EXPECT_EQ(pool->Solve(hard).reason, "budget");
}

TEST(WorkerPool, FloatsAreNoUninterpretedQuery) {
  // Z3 4.8.12 answers "sat" here for QF_UFBV.
  SolverQuery query;
  query.tactic = Tactic::kUninterpreted;
  query.text =
      "(declare-const a (_ BitVec 16))(assert (not (= (fp.neg (fp.neg ((_ to_fp 5 11) a))) ((_ to_fp 5 11) a))))";
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  EXPECT_TRUE(absl::StartsWith(pool->Solve(query).reason, "tactic: "));
  query.tactic = Tactic::kNative;
  EXPECT_EQ(pool->Solve(query).answer, Answer::kUnsat);
}

TEST(WorkerPool, OtherTheoriesFallBackToTheDefaultSolver) {
  SolverQuery query;
  query.text =
      "(declare-const m (Array (_ BitVec 8) (_ BitVec 8)))(declare-const i (_ BitVec 8))"
      "(assert (not (= (select (store m i #x2a) i) #x2a)))";
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  EXPECT_EQ(pool->Solve(query).answer, Answer::kUnsat);
  query.text = "(declare-const a Real)(assert (< (* a a) 0.0))(assert (exists ((b Real)) (= b a)))";
  EXPECT_EQ(pool->Solve(query).answer, Answer::kUnsat);
}

TEST(WorkerPool, StopTokenEndsARunningAndAWaitingQuery) {
  const std::unique_ptr<WorkerPool> pool = MakePool(1);
  std::stop_source running_source, waiting_source;
  SolverAnswer running, waiting;
  std::jthread first([&] {
    SolverQuery query = HardQuery(60'000);
    query.cancel = running_source.get_token();
    running = pool->Solve(query);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::jthread second([&] {
    SolverQuery query = Trivial(1);
    query.cancel = waiting_source.get_token();
    waiting = pool->Solve(query);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = SteadyClock::now();
  waiting_source.request_stop();
  second.join();
  running_source.request_stop();
  first.join();
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(running.reason, "cancelled");
  EXPECT_EQ(waiting.reason, "cancelled");
  EXPECT_EQ(pool->stats().cancelled, 2u);
  EXPECT_EQ(pool->stats().killed, 1u);
  EXPECT_EQ(pool->Solve(Trivial(1)).answer, Answer::kSat);
}

TEST(WorkerPool, CancelAllAndDestructionEndEverything) {
  std::unique_ptr<WorkerPool> pool = MakePool(2);
  std::atomic<int> cancelled = 0;
  const auto ask = [&] {
    if (pool->Solve(HardQuery(60'000)).reason == "cancelled") ++cancelled;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(ask);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = SteadyClock::now();
  pool->CancelAll();
  threads.clear();
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(cancelled, 4);
  EXPECT_EQ(pool->Solve(Trivial(1)).answer, Answer::kSat);
  pool = nullptr;
  EXPECT_TRUE(ChildPids().empty());
}

TEST(WorkerPool, NamesItsSolver) { EXPECT_TRUE(absl::StartsWith(MakePool(1)->name_and_version(), "Z3 4.")); }

}  // namespace
}  // namespace rewrought::verifier
