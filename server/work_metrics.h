// Exports metrics about the work in progress to Prometheus: runs and their shards, the queue, workers, verdicts, and
// rules.
#ifndef REWROUGHT_SERVER_WORK_METRICS_H_
#define REWROUGHT_SERVER_WORK_METRICS_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "pipeline/watch/worker_board.h"
#include "server/jobs/run_queue.h"
#include "store/content/store_counts.h"
#include "store/store.h"

namespace rewrought::rpc {

// Returns the lines that /healthz adds: "starved: NAME: no result for 130 s ", or "" if no worker is starved. /healthz
// needs no token, so the text does not show the workers' tasks.
std::string HealthText(const pipeline::WorkerBoard& workers);

// Thread-safe.
class WorkMetrics : public prometheus::Collectable {
 public:
  // Does not take ownership of its arguments. `runs` may be null if there is no queue. The contents of the database are
  // counted again only after `fresh` has passed, because counting reads all verdicts and any reader may request metrics
  // often.
  WorkMetrics(store::Store* store, RunQueue* runs, const pipeline::WorkerBoard* workers,
              absl::Duration fresh = absl::Seconds(15))
      : store_(store), runs_(runs), workers_(workers), fresh_(fresh) {}

  // Returns the metrics. Omits the counts of the database's contents if the database cannot be read.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  std::optional<store::StoreCounts> Counts() const;

  store::Store* const store_;
  RunQueue* const runs_;
  const pipeline::WorkerBoard* const workers_;
  const absl::Duration fresh_;
  mutable std::mutex mutex_;
  mutable std::optional<store::StoreCounts> counts_;
  mutable absl::Time counted_ = absl::InfinitePast();
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_WORK_METRICS_H_
