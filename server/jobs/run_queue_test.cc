#include "server/jobs/run_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>

#include "absl/time/clock.h"
#include "pipeline/run_record.h"
#include "store/run_store.h"

namespace rewrought::rpc {
namespace {

class ScriptedEngine : public RunEngine {
 public:
  absl::StatusOr<std::string> Execute(const RunTask& task) override {
    ++executed;
    return script(task);
  }

  std::function<absl::StatusOr<std::string>(const RunTask&)> script = [](const RunTask&) { return ""; };
  std::atomic<int> executed = 0;
};

absl::StatusOr<std::string> WaitForStop(const RunTask& task) {
  while (!task.stop.stop_requested()) absl::SleepFor(absl::Milliseconds(2));
  return absl::CancelledError("stopped");
}

class RunQueueTest : public testing::Test {
 protected:
  RunQueueTest() {
    std::string folder = testing::TempDir() + "/runs_XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    store_ = *store::Store::Open(folder + "/test.db");
  }

  static v1::NightlyConfig Config(const std::string& machine) {
    v1::NightlyConfig config;
    config.add_machines(machine);
    return config;
  }

  store::RunRecord Get(const std::string& id) { return *store::RunStore(store_.get()).GetRun(id); }

  // Waits until `done` accepts the run, but at most 10 s, and returns the run.
  store::RunRecord Await(const std::string& id, const std::function<bool(const store::RunRecord&)>& done) {
    for (int i = 0; i < 1000 && !done(Get(id)); ++i) absl::SleepFor(absl::Milliseconds(10));
    return Get(id);
  }
  static bool IsRunning(const store::RunRecord& run) { return run.state == v1::RUN_STATE_RUNNING; }
  static bool IsOver(const store::RunRecord& run) { return run.ended.has_value(); }

  std::unique_ptr<store::Store> store_;
  ScriptedEngine engine_;
};

TEST_F(RunQueueTest, RunsToItsEndWithProgress) {
  engine_.script = [](const RunTask& task) {
    EXPECT_EQ(task.config.machines(0), "intel_gen9");
    for (uint64_t i = 1; i <= 5; ++i) {
      v1::RunStatistics run_statistics;
      run_statistics.set_fragments(i);
      task.progress(run_statistics, "searching");
    }
    return "";
  };
  RunQueue queue(store_.get(), &engine_, 4);
  const absl::StatusOr<store::RunRecord> started = queue.Start(Config("intel_gen9"), "");
  ASSERT_TRUE(started.ok()) << started.status();
  const store::RunRecord run = Await(started->id, IsOver);
  EXPECT_EQ(run.state, v1::RUN_STATE_DONE);
  EXPECT_EQ(pipeline::RunStatisticsOfJson(run.run_statistics).fragments(),
            5u);  // the last update is stored, although updates come faster than the store interval
}

TEST_F(RunQueueTest, FailureSaysWhy) {
  engine_.script = [](const RunTask&) { return absl::ResourceExhaustedError("disk full"); };
  RunQueue queue(store_.get(), &engine_, 4);
  const store::RunRecord run = Await(queue.Start(Config("intel_gen9"), "")->id, IsOver);
  EXPECT_EQ(run.state, v1::RUN_STATE_FAILED);
  EXPECT_EQ(run.message, "disk full");
}

TEST_F(RunQueueTest, CancelsWhatRunsAndWhatWaits) {
  engine_.script = WaitForStop;
  RunQueue queue(store_.get(), &engine_, 4);
  const std::string first = queue.Start(Config("intel_gen9"), "")->id, second = queue.Start(Config("agx_g13"), "")->id;
  EXPECT_EQ(Await(first, IsRunning).state, v1::RUN_STATE_RUNNING);
  EXPECT_EQ(queue.Cancel(second)->state, v1::RUN_STATE_CANCELLED);
  ASSERT_TRUE(queue.Cancel(first).ok());
  EXPECT_EQ(Await(first, IsOver).state, v1::RUN_STATE_CANCELLED);
  EXPECT_EQ(queue.Cancel(first)->state, v1::RUN_STATE_CANCELLED);  // cancelling a run that has ended is not an error
  EXPECT_EQ(queue.Cancel("none").status().code(), absl::StatusCode::kNotFound);
  queue.Stop();
  EXPECT_EQ(engine_.executed, 1);
}

TEST_F(RunQueueTest, ResumesWhatWasCancelledOrFailed) {
  bool fail = true;
  engine_.script = [&](const RunTask& task) -> absl::StatusOr<std::string> {
    if (fail) return absl::ResourceExhaustedError("disk full");
    EXPECT_EQ(task.config.machines(0), "agx_g13");  // the engine gets the configuration with which the run was started
    return "";
  };
  RunQueue queue(store_.get(), &engine_, 4);
  const std::string run = queue.Start(Config("agx_g13"), "")->id;
  ASSERT_EQ(Await(run, IsOver).state, v1::RUN_STATE_FAILED);
  fail = false;
  const absl::StatusOr<store::RunRecord> resumed = queue.ResumeRun(run);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  const store::RunRecord done = Await(run, [](const store::RunRecord& r) { return r.state == v1::RUN_STATE_DONE; });
  EXPECT_EQ(done.state, v1::RUN_STATE_DONE);
  EXPECT_EQ(engine_.executed, 2);
  EXPECT_EQ(queue.ResumeRun(run).status().code(), absl::StatusCode::kFailedPrecondition);  // a run that is done
  EXPECT_EQ(queue.ResumeRun("none").status().code(), absl::StatusCode::kNotFound);
  engine_.script = WaitForStop;
  const std::string other = queue.Start(Config("agx_g13"), "")->id;
  Await(other, IsRunning);
  EXPECT_EQ(queue.ResumeRun(other).status().code(), absl::StatusCode::kFailedPrecondition);  // a run that is active
}

TEST_F(RunQueueTest, RunsEndedByABudgetArePausedAndCanBeResumed) {
  engine_.script = [&](const RunTask&) { return engine_.executed == 1 ? "time" : ""; };
  std::string run;
  {
    RunQueue queue(store_.get(), &engine_, 4);
    run = queue.Start(Config("agx_g13"), "")->id;
    const store::RunRecord paused = Await(run, IsOver);
    EXPECT_EQ(paused.state, v1::RUN_STATE_PAUSED);
    EXPECT_EQ(paused.message, "ended by time");
    EXPECT_EQ(queue.Cancel(run)->state, v1::RUN_STATE_PAUSED);  // the run has ended
  }
  RunQueue queue(store_.get(), &engine_, 4);
  ASSERT_TRUE(queue.Resume().ok());  // a new server resumes only interrupted runs
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(engine_.executed, 1);
  ASSERT_TRUE(queue.ResumeRun(run).ok());
  const store::RunRecord done = Await(run, [](const store::RunRecord& r) { return r.state == v1::RUN_STATE_DONE; });
  EXPECT_EQ(done.state, v1::RUN_STATE_DONE);
  EXPECT_EQ(engine_.executed, 2);
}

TEST_F(RunQueueTest, RefusesBeyondItsBound) {
  engine_.script = WaitForStop;
  RunQueue queue(store_.get(), &engine_, 1);
  ASSERT_EQ(Await(queue.Start(Config("intel_gen9"), "")->id, IsRunning).state, v1::RUN_STATE_RUNNING);
  EXPECT_TRUE(queue.Start(Config("intel_gen9"), "").ok());
  EXPECT_EQ(queue.Start(Config("intel_gen9"), "").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(RunQueueTest, ARequestIdStartsOneRun) {
  engine_.script = WaitForStop;
  std::string id;
  {
    RunQueue queue(store_.get(), &engine_, 4);
    id = queue.Start(Config("intel_gen9"), "night 1")->id;
    EXPECT_EQ(queue.Start(Config("intel_gen9"), "night 1")->id, id);
    EXPECT_NE(queue.Start(Config("intel_gen9"), "night 2")->id, id);
    EXPECT_EQ(queue.Start(Config("agx_g13"), "night 1").status().code(), absl::StatusCode::kInvalidArgument);
  }
  RunQueue queue(store_.get(), &engine_, 4);
  EXPECT_EQ(queue.Start(Config("intel_gen9"), "night 1")->id, id);  // a later server also knows the request id
}

TEST_F(RunQueueTest, ALaterQueueGoesOn) {
  std::string id;
  {
    engine_.script = [](const RunTask& task) {
      v1::RunStatistics run_statistics;
      run_statistics.set_proved(3);
      task.progress(run_statistics, "");
      return WaitForStop(task);
    };
    RunQueue queue(store_.get(), &engine_, 4);
    id = queue.Start(Config("intel_gen9"), "")->id;
    Await(id, IsRunning);
    while (engine_.executed == 0) absl::SleepFor(absl::Milliseconds(2));
  }
  EXPECT_EQ(Get(id).state, v1::RUN_STATE_QUEUED);
  EXPECT_FALSE(Get(id).ended.has_value());
  store::RunRecord other = Get(id);  // a command-line run, which servers must not resume
  other.id = "other";
  ASSERT_TRUE(store::RunStore(store_.get()).CreateRun(other).ok());
  engine_.script = [](const RunTask& task) {
    EXPECT_EQ(task.before.proved(), 3u);
    return "";
  };
  RunQueue queue(store_.get(), &engine_, 4);
  ASSERT_TRUE(queue.Resume().ok());
  EXPECT_EQ(Await(id, IsOver).state, v1::RUN_STATE_DONE);
  EXPECT_EQ(queue.Cancel("other").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Get("other").state, v1::RUN_STATE_QUEUED);
}

}  // namespace
}  // namespace rewrought::rpc
