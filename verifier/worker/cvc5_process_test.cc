#include "verifier/worker/cvc5_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "proto/address_space.h"
#include "verifier/worker/sample_queries.h"

namespace rewrought::verifier {
namespace {

using SteadyClock = std::chrono::steady_clock;

SolverQuery Query(std::string text, uint32_t timeout_ms = 5000) {
  SolverQuery query;
  query.text = std::move(text);
  query.timeout_ms = timeout_ms;
  return query;
}

bool StartsWith(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

TEST(Cvc5Process, SamplesGetTheirAnswersAndModelsHold) {
  Cvc5Process cvc5({});
  int models = 0;
  for (const SampleQuery& sample : LoadSampleQueries(120'000)) {
    const SolverAnswer answer = cvc5.Solve(sample.query);
    ASSERT_EQ(answer.answer, sample.expected) << sample.name << ": " << answer.reason;
    EXPECT_TRUE(StartsWith(answer.solver, "cvc5 1.")) << answer.solver;
    if (answer.answer != Answer::kSat) continue;
    EXPECT_EQ(answer.model.size(), sample.query.wanted.size()) << sample.name;
    if (answer.model.empty() || answer.model.count("p") != 0) continue;
    EXPECT_EQ(cvc5.Solve(WithModel(sample.query, answer)).answer, Answer::kSat) << sample.name;
    ++models;
  }
  EXPECT_GE(models, 6);
}

TEST(Cvc5Process, BadTextsAreUnknown) {
  Cvc5Process cvc5({});
  for (const char* text : {"garbage", "(assert x)", "(assert", "(assert false)(check-sat)", "(assert 3)",
                           "(echo \"unsat\")", "(assert true)(exit)"}) {
    const SolverAnswer answer = cvc5.Solve(Query(text));
    EXPECT_EQ(answer.answer, Answer::kUnknown) << text;
    EXPECT_TRUE(StartsWith(answer.reason, "parse: ")) << text << ": " << answer.reason;
  }
  EXPECT_EQ(cvc5.Solve(Query("(set-info :status sat)(assert false)")).answer, Answer::kUnknown);
}

TEST(Cvc5Process, BudgetAndCancellationAreKept) {
  Cvc5Process cvc5({});
  auto start = SteadyClock::now();
  SolverQuery late = HardQuery(500);
  late.work_ms = 20'000;
  const SolverAnswer slow = cvc5.Solve(late);
  EXPECT_EQ(slow.reason, "time");
  EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(2500));
  std::stop_source source;
  SolverQuery query = HardQuery(60'000);
  query.cancel = source.get_token();
  std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    source.request_stop();
  });
  start = SteadyClock::now();
  EXPECT_EQ(cvc5.Solve(query).reason, "cancelled");
  EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(1300));
  EXPECT_TRUE(ChildPids().empty());
}

TEST(Cvc5Process, SmallMemoryIsUnknown) {
  if (!proto::kLimitsAddressSpace) GTEST_SKIP() << "a sanitizer";
  Cvc5Options options;
  options.memory_bytes = 60 << 20;
  const SolverAnswer answer = Cvc5Process(options).Solve(HardQuery(5000));
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_EQ(answer.reason, "memory");
}

TEST(Cvc5Process, MissingProgramNamesTheRemedy) {
  Cvc5Options options;
  options.path = "/nowhere/cvc5";
  Cvc5Process cvc5(options);
  const SolverAnswer answer = cvc5.Solve(Query("(assert false)"));
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_NE(answer.reason.find("apt-get install cvc5"), std::string::npos) << answer.reason;
  EXPECT_TRUE(StartsWith(cvc5.name_and_version(), "unknown (")) << cvc5.name_and_version();
}

std::string FakeProgram(const std::string& name, const std::string& body) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TEST(Cvc5Process, OnlyACleanExitCounts) {
  const auto ask = [](const std::string& name, const std::string& body) {
    Cvc5Options options;
    options.path = FakeProgram(name, body);
    return Cvc5Process(options).Solve(Query("(assert true)", 300));
  };
  EXPECT_EQ(ask("honest", "echo unsat").answer, Answer::kUnsat);
  EXPECT_EQ(ask("fails", "echo unsat; exit 1").answer, Answer::kUnknown);
  EXPECT_EQ(ask("dies", "echo unsat; kill -SEGV $$").reason, "cvc5 died: signal 11");
  EXPECT_EQ(ask("lingers", "echo unsat; exec >&-; sleep 60").answer, Answer::kUnknown);
  const auto start = SteadyClock::now();
  EXPECT_EQ(ask("silent", "sleep 20").reason, "time (cvc5 killed)");
  EXPECT_LT(SteadyClock::now() - start, std::chrono::milliseconds(300 + 1000 + 500));
  EXPECT_EQ(ask("twice", "echo unsat; echo unsat").answer, Answer::kUnknown);
  EXPECT_EQ(ask("warns", "echo 'unsat but'").answer, Answer::kUnknown);
  EXPECT_EQ(ask("empty", "true").answer, Answer::kUnknown);
  EXPECT_EQ(ask("chatty", "while :; do echo unsat; done").answer, Answer::kUnknown);
}

SolverAnswer AskFake(const std::string& name, const std::string& body, uint32_t work_ms) {
  Cvc5Options options;
  options.path = FakeProgram(name, body);
  SolverQuery query;
  query.text = "(assert true)";
  query.work_ms = work_ms;
  return Cvc5Process(options).Solve(query);
}

TEST(Cvc5Process, SlowByTheClockIsNoReasonToGiveUp) {
  EXPECT_EQ(AskFake("sleeps", "sleep 2; echo unsat", 10).answer, Answer::kUnsat);
}

TEST(Cvc5Process, WhatIsSaidBeyondTheCountDoesNotCount) {
  // A budget of 100 ms corresponds to 30,000 units.
  const auto ask = [](const std::string& name, int units, const std::string& end) {
    return AskFake(name, "echo unsat; echo 'resource::resourceUnitsUsed = " + std::to_string(units) + "' >&2;" + end,
                   100);
  };
  const SolverAnswer within = ask("within", 29'999, "");
  EXPECT_EQ(within.answer, Answer::kUnsat) << within.reason;
  EXPECT_NEAR(within.work_ms, 100, 0.01);
  EXPECT_EQ(ask("burns", 30'000, "").reason, "budget");
  EXPECT_EQ(ask("aborts", 30'005, "kill -ABRT $$").reason, "budget");
  EXPECT_EQ(ask("dies_within", 5, "kill -ABRT $$").reason, "cvc5 died: signal 6");
  // SIGXCPU is how LimitCpu ends the process. No wall clock is involved, so the query is not retried.
  EXPECT_EQ(ask("spends", 5, "kill -XCPU $$").reason, "budget (processor)");
}

TEST(Cvc5Process, WhatItsCounterHardlySeesEndsByProcessorTime) {
  // This query compares umul24_relaxed with umul24. cvc5 1.0.3 counts only 5 units per millisecond for it.
  SolverQuery query;
  query.text = R"((set-logic QF_BV)
    (declare-const a (_ BitVec 32))
    (declare-const b (_ BitVec 32))
    (define-fun large () Bool (or (bvult #x00ffffff a) (bvult #x00ffffff b)))
    (define-fun low () (_ BitVec 32) (bvmul (bvand a #x00ffffff) (bvand b #x00ffffff)))
    (assert (not (= low (ite large low (bvmul a b))))))";
  query.work_ms = 500;
  const SolverAnswer answer = Cvc5Process({}).Solve(query);
  EXPECT_EQ(answer.answer, Answer::kUnknown);
  EXPECT_EQ(answer.reason, "budget (processor)");
}

TEST(Cvc5Process, BudgetsAreCounted) {
  Cvc5Process cvc5({});
  int ended = 0;
  for (SampleQuery& sample : LoadSampleQueries(0)) {
    sample.query.work_ms = 20'000;
    const SolverAnswer decided = cvc5.Solve(sample.query);
    ASSERT_EQ(decided.answer, sample.expected) << sample.name << ": " << decided.reason;
    EXPECT_GT(decided.work_ms, 0) << sample.name;
    EXPECT_EQ(cvc5.Solve(sample.query).work_ms, decided.work_ms) << sample.name;
    if (decided.work_ms < 4) continue;
    sample.query.work_ms = static_cast<uint32_t>(decided.work_ms / 2);
    const SolverAnswer less = cvc5.Solve(sample.query);
    EXPECT_EQ(less.answer, Answer::kUnknown) << sample.name;
    EXPECT_EQ(less.reason, "budget") << sample.name;
    ++ended;
  }
  EXPECT_GE(ended, 10);
}

TEST(ReadCvc5Output, WantsAModelIfValuesWereAsked) {
  EXPECT_EQ(ReadCvc5Output("sat\n", {}).answer, Answer::kSat);
  EXPECT_EQ(ReadCvc5Output("sat\n", {"a"}).answer, Answer::kUnknown);
  const SolverAnswer answer =
      ReadCvc5Output("sat\n(\n(define-fun a () Bool true)\n(define-fun b () Bool true)\n)\n", {"a"});
  EXPECT_EQ(answer.answer, Answer::kSat);
  EXPECT_EQ(answer.model, (std::map<std::string, std::string>{{"a", "1"}}));
  EXPECT_EQ(ReadCvc5Output("satisfied", {}).answer, Answer::kUnknown);
  EXPECT_EQ(ReadCvc5Output("unknown\n", {}).answer, Answer::kUnknown);
}

TEST(NeedsExperimentalFloats, SeesHalfPrecision) {
  EXPECT_TRUE(NeedsExperimentalFloats("(declare-const a Float16)"));
  EXPECT_TRUE(NeedsExperimentalFloats("((_ to_fp 5 11) a)"));
  EXPECT_TRUE(NeedsExperimentalFloats("(fp #b0 #b00000 #b0000000000)"));
  EXPECT_FALSE(NeedsExperimentalFloats("((_ to_fp 8 24) a)"));
}

}  // namespace
}  // namespace rewrought::verifier
