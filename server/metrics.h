// Counts what the server does and exports the counts with prometheus-cpp.
#ifndef REWROUGHT_SERVER_METRICS_H_
#define REWROUGHT_SERVER_METRICS_H_

#include <grpcpp/support/server_interceptor.h>
#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rewrought::rpc {

// Counts the connections of one port.
struct ConnectionCounts {
  std::atomic<int64_t> open{0}, accepted{0};
  std::atomic<int64_t> refused{0};    // because of the limit
  std::atomic<int64_t> evicted{0};    // to make room for a new connection
  std::atomic<int64_t> timed_out{0};  // because the client was too slow
};

// Thread-safe.
class Metrics {
 public:
  Metrics();

  void CallStarted() { ++in_flight_; }
  // `method` is a path such as "/rewrought.v1.RuleService/GetRule"; unknown methods are counted as "other".
  void CallEnded(absl::string_view method, int code, absl::Duration took);

  ConnectionCounts grpc, http;
  std::atomic<int64_t> http_requests{0};

  // Adds the metric families that `more` collects to the result of Text. `more` may be null and is not owned. Must be
  // called before the server starts.
  void Add(const prometheus::Collectable* more) { more_ = more; }

  // Returns the metrics in Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats).
  std::string Text() const;

 private:
  std::vector<prometheus::MetricFamily> Connections() const;

  const absl::Time started_;
  std::atomic<int64_t> in_flight_{0};
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& calls_;
  prometheus::Family<prometheus::Histogram>& seconds_;
  const prometheus::Collectable* more_ = nullptr;
};

// A value and its labels. FamilyOf builds a family from one or more values and adds the prefix "rewrought_" to `name`.
// `help` must end with a period.
struct LabelledValue {
  std::vector<prometheus::ClientMetric::Label> labels;
  double value = 0;
};
prometheus::MetricFamily FamilyOf(absl::string_view name, prometheus::MetricType type, absl::string_view help,
                                  const std::vector<LabelledValue>& values);

// Counts each call of a gRPC server. `metrics` must outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountingInterceptors(Metrics* metrics);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_METRICS_H_
