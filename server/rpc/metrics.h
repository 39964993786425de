// Counts of what the server did, in Prometheus' text form (prometheus.io/docs/instrumenting/exposition_formats).
#ifndef REWROUGHT_SERVER_RPC_METRICS_H_
#define REWROUGHT_SERVER_RPC_METRICS_H_

#include <grpcpp/support/server_interceptor.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/rpc/http/connection_table.h"

namespace rewrought::rpc {

// Thread-safe.
class Metrics {
 public:
  Metrics();

  void CallStarted() { ++in_flight_; }
  // `method` is a path, "/rewrought.v1.RuleService/GetRule"; all that are not ours are counted as "other".
  void CallEnded(absl::string_view method, int code, absl::Duration took);

  // Connections of the HTTP front end.
  std::atomic<int64_t> http_open{0}, http_accepted{0}, http_refused{0}, http_evicted{0}, http_timed_out{0},
      http_requests{0};
  // Those of the gRPC server.
  std::atomic<int64_t> grpc_open{0}, grpc_accepted{0}, grpc_refused{0}, grpc_evicted{0};

  std::string Text() const;

 private:
  static constexpr std::array<double, 10> kBounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60};  // seconds
  struct Method {
    std::map<int, int64_t> by_code;
    std::array<int64_t, kBounds.size() + 1> by_time{};
    double seconds = 0;
  };

  const absl::Time started_;
  std::atomic<int64_t> in_flight_{0};
  mutable std::mutex mutex_;
  std::map<std::string, Method> methods_;
};

// Counts each call of a gRPC server, and tells `connections` which of them asked. Both outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountingInterceptors(
    Metrics* metrics, ConnectionTable* connections);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_METRICS_H_
