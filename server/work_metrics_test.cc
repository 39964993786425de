#include "server/work_metrics.h"

#include <chrono>
#include <string>

#include "absl/strings/match.h"
#include "server/metrics.h"
#include "store/testing/store_testing.h"

namespace rewrought::rpc {
namespace {

TEST(WorkMetricsTest, TellsRunsWorkersAndVerdicts) {
  auto store = store::OpenStore(store::NewPath());
  store::RunRecord run = store::RunOf("a", 1000);
  run.kind = "discover";
  run.config = "vc4 0123 1/4";
  run.state = v1::RUN_STATE_PAUSED;
  ASSERT_OK(store::RunStore(store.get()).CreateRun(run));
  ASSERT_OK(store::RuleStore(store.get()).PutRule(store::RuleOf("('iadd', 'a', 0)", "a", "vc4")));
  ASSERT_OK(store::SearchStore(store.get()).PutVerdict(store::VerdictOf("x", v1::VERDICT_PROVED)));
  auto now = pipeline::WorkerBoard::Clock::now();
  pipeline::WorkerBoard board([&] { return now; });
  pipeline::WorkerBoard::Worker busy(&board, "search 1"), idle(&board, "search 2");
  busy.Begin("x");
  now += std::chrono::seconds(60);
  busy.Result();
  now += std::chrono::seconds(60);
  Metrics metrics;
  const WorkMetrics work(store.get(), nullptr, &board, absl::ZeroDuration());
  metrics.Add(&work);
  const std::string text = metrics.Text();
  for (const char* line :
       {"rewrought_runs{kind=\"discover\",state=\"paused\"} 1\n", "rewrought_shards{state=\"paused\"} 1\n",
        "rewrought_verdicts{verdict=\"proved\"} 1\n", "rewrought_contradictions 0\n",
        "rewrought_workers{state=\"busy\"} 1\n", "rewrought_workers{state=\"idle\"} 1\n",
        "rewrought_worker_results 1\n", "rewrought_worker_silence_seconds 120\n", "rewrought_workers_starved 1\n",
        "# TYPE rewrought_runs gauge\n"}) {
    EXPECT_TRUE(absl::StrContains(text, line)) << line << text;
  }
  EXPECT_TRUE(absl::StrContains(text, "rewrought_rules{machine=\"vc4\",state=\"")) << text;
  EXPECT_FALSE(absl::StrContains(text, "queue_runs"));
  // The rows are counted again once the counts are stale.
  ASSERT_OK(store::SearchStore(store.get()).PutVerdict(store::VerdictOf("y", v1::VERDICT_PROVED)));
  EXPECT_TRUE(absl::StrContains(metrics.Text(), "rewrought_verdicts{verdict=\"proved\"} 2\n"));
}

TEST(WorkMetricsTest, HealthNamesStarvedWorkersWithoutTheirWork) {
  auto now = pipeline::WorkerBoard::Clock::now();
  pipeline::WorkerBoard board([&] { return now; });
  pipeline::WorkerBoard::Worker busy(&board, "search 1 of vc4"), idle(&board, "search 2 of vc4");
  busy.Begin("('fadd', a, secret)");
  EXPECT_EQ(HealthText(board), "");
  now += std::chrono::seconds(125);
  EXPECT_EQ(HealthText(board),
            "starved: search 1 of vc4: no result for 125 s; search 2 of vc4: nothing to do for 125 s\n");
}

}  // namespace
}  // namespace rewrought::rpc
