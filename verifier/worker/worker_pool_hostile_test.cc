// Tests hostile queries, limits and workers. The affected queries must return kUnknown, and the pool must keep working.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <memory>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/address_space.h"
#include "verifier/worker/locate_worker.h"
#include "verifier/worker/sample_queries.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::unique_ptr<WorkerPool> MakePool(const WorkerPoolOptions& options) {
  absl::StatusOr<std::unique_ptr<WorkerPool>> pool = WorkerPool::Create(options);
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

std::unique_ptr<WorkerPool> OneWorker(uint64_t memory_mebibytes = 1536) {
  WorkerPoolOptions options;
  options.workers = 1;
  options.memory_bytes = memory_mebibytes << 20;
  return MakePool(options);
}

SolverQuery Query(std::string text, uint32_t timeout_ms = 5000) {
  SolverQuery query;
  query.text = std::move(text);
  query.timeout_ms = timeout_ms;
  return query;
}

void ExpectStillWorks(WorkerPool& pool) {
  const SolverAnswer answer = pool.Solve(Query("(declare-const a (_ BitVec 8))(assert (bvult a #x00))"));
  EXPECT_EQ(answer.answer, Answer::kUnsat) << answer.reason;
}

TEST(HostileText, IsUnknownWithAReason) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  for (const char* text :
       {"garbage", "(assert", "(assert x)", "(declare-const a (_ BitVec 8))(assert (= a #x123))", "(assert 3)",
        "(assert false)(check-sat)", "(declare-const a Bool)(declare-const a Bool)(assert (not a))(assert (nand a))",
        "(assert (bvult #x1 #x1 ", "(set-option :regular-output-channel \"stdout\")(assert false)", "(exit)",
        "(declare-const a (_ BitVec 0))(assert false)", "(declare-const a (_ FloatingPoint 99999999 2))(assert false)",
        "(assert (let ((x false) (y z)) x))(assert false)"}) {
    const SolverAnswer answer = pool->Solve(Query(text));
    EXPECT_EQ(answer.answer, Answer::kUnknown) << text;
    EXPECT_TRUE(absl::StartsWith(answer.reason, "parse: ")) << text << ": " << answer.reason;
  }
  ExpectStillWorks(*pool);
  EXPECT_EQ(pool->stats().died, 0u);
}

TEST(HostileText, WantedNamesAreChecked) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  for (const char* name : {"b", "", "a|", "f", "m", "a| |a|)) (assert false) (assert (= |a"}) {
    SolverQuery query =
        Query("(declare-const a Bool)(declare-fun f (Bool) Bool)(define-fun m () Bool a)(assert (f a))");
    query.wanted = {name};
    const SolverAnswer answer = pool->Solve(query);
    EXPECT_EQ(answer.answer, Answer::kUnknown) << name;
    EXPECT_TRUE(absl::StartsWith(answer.reason, "parse: ")) << name << ": " << answer.reason;
  }
  SolverQuery twice = Query("(declare-const a Bool)(assert a)");
  twice.wanted = {"a", "a"};
  EXPECT_EQ(pool->Solve(twice).answer, Answer::kUnknown);
  ExpectStillWorks(*pool);
}

TEST(HostileText, DeepAndLongTexts) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  const auto nested = [](int depth) {
    std::string text = "(declare-const a (_ BitVec 8))(assert (= a ";
    for (int i = 0; i < depth; ++i) text += "(bvnot ";
    return absl::StrCat(text, "a", std::string(depth, ')'), "))");
  };
  EXPECT_TRUE(absl::StartsWith(pool->Solve(Query(nested(100'000))).reason, "parse: "));
  EXPECT_EQ(pool->Solve(Query(nested(9'901))).answer, Answer::kUnsat);  // an odd number of complements
  EXPECT_EQ(pool->Solve(Query(std::string(10 << 20, '('))).answer, Answer::kUnknown);
  // A deep term without deep nesting: each line doubles the previous value.
  std::string chain = "(declare-const v0 (_ BitVec 32))";
  for (int i = 1; i < 50'000; ++i) {
    absl::StrAppend(&chain, "(define-fun v", i, " () (_ BitVec 32) (bvadd v", i - 1, " v", i - 1, "))");
  }
  const SolverAnswer deep = pool->Solve(Query(absl::StrCat(chain, "(assert (= v49999 #x00000001))"), 500));
  EXPECT_NE(deep.answer, Answer::kSat) << "the sum is even";
  // Also test 10 MB of meaningful text.
  std::string wide = "(declare-const a (_ BitVec 32))";
  while (wide.size() < (10u << 20)) absl::StrAppend(&wide, "(assert (= (bvand a #x0000ffff) #x0000", "1234))\n");
  const SolverAnswer answer = pool->Solve(Query(absl::StrCat(wide, "(assert (= a #x00000000))"), 20'000));
  EXPECT_EQ(answer.answer, Answer::kUnsat) << answer.reason;
  EXPECT_TRUE(absl::StartsWith(pool->Solve(Query(std::string(40 << 20, ' '))).reason, "parse: "));
  ExpectStillWorks(*pool);
}

TEST(Limits, MemoryEatersAreUnknown) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  const std::unique_ptr<WorkerPool> pool = OneWorker(200);
  // An f64 query, (a / b) / (c / d) = sqrt((a * d) / (b rem c)), whose circuits take hundreds of megabytes.
  std::string text = "(define-sort F () (_ FloatingPoint 11 53))";
  for (const char* name : {"a", "b", "c", "d"}) absl::StrAppend(&text, "(declare-const ", name, " F)");
  absl::StrAppend(&text, "(assert (not (= (fp.div RNE (fp.div RNE a b) (fp.div RNE c d))",
                  "(fp.sqrt RNE (fp.div RNE (fp.mul RNE a d) (fp.rem b c))))))");
  const SolverAnswer answer = pool->Solve(Query(text, 10'000));
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_TRUE(answer.reason == "memory" || absl::StartsWith(answer.reason, "worker died: ")) << answer.reason;
  std::cout << "memory eater: " << answer.reason << " after " << answer.milliseconds << " ms\n";
  EXPECT_GE(pool->stats().retired + pool->stats().died, 1u);
  ExpectStillWorks(*pool);
}

TEST(Limits, ImpossibleMemoryLimitIsUnknown) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  const SolverAnswer answer = OneWorker(8)->Solve(Query("(assert false)"));
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_TRUE(absl::StartsWith(answer.reason, "worker")) << answer.reason;
}

TEST(Limits, KilledInFlight) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  SolverAnswer answer;
  const auto start = SteadyClock::now();
  std::jthread thread([&] { answer = pool->Solve(HardQuery(60'000)); });
  std::vector<int> children;
  while (children.empty()) children = ChildPids();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  for (int child : children) kill(child, SIGKILL);
  thread.join();
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_EQ(answer.reason, "worker died: signal 9");
  EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(5));
  ExpectStillWorks(*pool);
}

TEST(Limits, KilledWhileIdleIsNotNoticed) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  ExpectStillWorks(*pool);
  for (int child : ChildPids()) kill(child, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ExpectStillWorks(*pool);
  EXPECT_EQ(pool->stats().died, 1u);
  EXPECT_EQ(pool->stats().spawned, 2u);
}

TEST(Limits, StoppedWorkerIsKilledAtTheDeadline) {
  const std::unique_ptr<WorkerPool> pool = OneWorker();
  ExpectStillWorks(*pool);
  for (int child : ChildPids()) kill(child, SIGSTOP);
  const auto start = SteadyClock::now();
  EXPECT_EQ(pool->Solve(Query("(assert false)", 200)).reason, "time (worker killed)");
  EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(2 * 200 + 1000 + 500));
  ExpectStillWorks(*pool);
}

std::unique_ptr<WorkerPool> FakePool(const std::string& mode) {
  WorkerPoolOptions options;
  options.workers = 1;
  options.worker_path =
      absl::StrCat(getenv("TEST_SRCDIR"), "/", getenv("TEST_WORKSPACE"), "/verifier/worker/fake_worker");
  options.worker_arguments = {mode};
  return MakePool(options);
}

TEST(FakeWorker, HonestOneIsBelieved) {
  const std::unique_ptr<WorkerPool> pool = FakePool("honest");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool->Solve(Query("(assert true)")).answer, Answer::kUnsat);
  EXPECT_EQ(pool->stats().spawned, 1u);
}

TEST(FakeWorker, LiesAndAccidentsAreUnknown) {
  const std::pair<const char*, const char*> cases[] = {
      {"garbage", "worker: bad reply"},
      {"wrong_id", "worker: bad reply"},
      {"old_id", "worker: bad reply"},
      {"empty_message", "worker: bad reply"},
      {"long_message", "worker: bad reply"},
      {"long_body", "worker: bad reply"},
      {"unknown_without_reason", "worker: bad reply"},
      {"value_not_asked_for", "worker: bad reply"},
      {"dies_inside_message", "worker died: exit 3"},
      {"exits_at_once", "worker died: exit 3"},
      {"closes", "worker died: signal 9"},
      {"segfault", "worker died: signal 11"},
      {"eats_memory", "worker died: signal 6"},
  };
  for (const auto& [mode, reason] : cases) {
    if (!proto::kLimitsAddressSpace && absl::string_view(mode) == "eats_memory") continue;
    const std::unique_ptr<WorkerPool> pool = FakePool(mode);
    for (int i = 0; i < 2; ++i) {
      const SolverAnswer answer = pool->Solve(Query("(assert true)", 60'000));
      EXPECT_EQ(answer.answer, Answer::kUnknown) << mode;
      EXPECT_EQ(answer.reason, reason) << mode;
    }
    EXPECT_EQ(pool->stats().spawned, 2u) << mode;
  }
}

TEST(FakeWorker, SilenceEndsAtTheDeadline) {
  for (const char* mode : {"silent", "never_reads"}) {
    const std::unique_ptr<WorkerPool> pool = FakePool(mode);
    const auto start = SteadyClock::now();
    // Use enough text to fill the socket's buffers.
    const SolverAnswer answer = pool->Solve(Query(std::string(4 << 20, ' '), 100));
    EXPECT_EQ(answer.reason, "time (worker killed)") << mode;
    EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(1700)) << mode;
  }
}

TEST(FakeWorker, SlowByTheClockIsNoReasonToGiveUp) {
  SolverQuery query = Query("(assert true)", 0);
  query.work_ms = 10;
  EXPECT_EQ(FakePool("slow")->Solve(query).answer, Answer::kUnsat);
}

TEST(FakeWorker, AnswerBeforeTheQuestionIsThrownAway) {
  const std::unique_ptr<WorkerPool> pool = FakePool("answers_ahead");
  EXPECT_EQ(pool->Solve(Query("(assert true)")).answer, Answer::kUnsat);
  EXPECT_EQ(pool->Solve(Query("(assert true)")).answer, Answer::kUnsat);
  EXPECT_EQ(pool->stats().spawned, 2u) << "the second query must go to a new process";
}

TEST(FakeWorker, ExitBetweenQueriesCostsNoAnswer) {
  const std::unique_ptr<WorkerPool> pool = FakePool("exits_after_reply");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pool->Solve(Query("(assert true)")).answer, Answer::kUnsat);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

TEST(LocateWorker, WhatIsGivenIsNotReplaced) {
  EXPECT_EQ(LocateWorker("/nowhere/rewrought_worker").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(LocateWorker("/tmp").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*LocateWorker("/bin/sh"), "/bin/sh");
  setenv("REWROUGHT_WORKER", "/nowhere/else", 1);
  EXPECT_EQ(LocateWorker("").status().code(), absl::StatusCode::kNotFound);
  unsetenv("REWROUGHT_WORKER");
  EXPECT_TRUE(LocateWorker("").ok());
  WorkerPoolOptions options;
  options.worker_path = "/nowhere/rewrought_worker";
  EXPECT_EQ(WorkerPool::Create(options).status().code(), absl::StatusCode::kNotFound);
  options.workers = -1;
  EXPECT_EQ(WorkerPool::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rewrought::verifier
