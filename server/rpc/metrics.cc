#include "server/rpc/metrics.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/server_context.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace rewrought::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;

// Callers choose paths; only those of our own methods may become labels, or the table grows without end.
std::string LabelOf(absl::string_view method) {
  if (absl::StartsWith(method, "/grpc.health.v1.Health/")) return "/grpc.health.v1.Health";
  if (!absl::ConsumePrefix(&method, "/")) return "other";
  const std::string name = absl::StrReplaceAll(method, {{"/", "."}});
  const auto* known = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  return known == nullptr ? "other" : absl::StrCat("/", method);
}

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class CountingInterceptor final : public grpc::experimental::Interceptor {
 public:
  CountingInterceptor(Metrics* metrics, ConnectionTable* connections, grpc::experimental::ServerRpcInfo* info)
      : metrics_(metrics),
        connections_(connections),
        info_(info),
        method_(info->method() == nullptr ? "" : info->method()),
        started_(absl::Now()) {
    metrics_->CallStarted();
  }
  ~CountingInterceptor() override {
    if (connection_ != 0) connections_->Ended(connection_);
    metrics_->CallEnded(method_, code_, absl::Now() - started_);
  }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    // Only now does the context know its peer.
    if (connection_ == 0 && methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      connection_ = connections_->Find(info_->server_context()->peer());
      connections_->Began(connection_);
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      code_ = methods->GetSendStatus().error_code();
    }
    methods->Proceed();
  }

 private:
  Metrics* const metrics_;
  ConnectionTable* const connections_;
  grpc::experimental::ServerRpcInfo* const info_;
  const std::string method_;
  const absl::Time started_;
  ConnectionTable::Id connection_ = 0;
  int code_ = grpc::StatusCode::CANCELLED;  // a call that ends without a status
};

class Factory final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  Factory(Metrics* metrics, ConnectionTable* connections) : metrics_(metrics), connections_(connections) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(grpc::experimental::ServerRpcInfo* info) override {
    return new CountingInterceptor(metrics_, connections_, info);
  }

 private:
  Metrics* const metrics_;
  ConnectionTable* const connections_;
};

}  // namespace

Metrics::Metrics() : started_(absl::Now()) {}

void Metrics::CallEnded(absl::string_view method, int code, absl::Duration took) {
  --in_flight_;
  const double seconds = absl::ToDoubleSeconds(took);
  const std::string label = LabelOf(method);
  const std::lock_guard<std::mutex> lock(mutex_);
  Method& counts = methods_[label];
  ++counts.by_code[code];
  size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++counts.by_time[bucket];
  counts.seconds += seconds;
}

std::string Metrics::Text() const {
  std::string text;
  const auto one = [&](absl::string_view name, absl::string_view type, absl::string_view help, auto value) {
    absl::StrAppend(&text, "# HELP rewrought_", name, " ", help, "\n# TYPE rewrought_", name, " ", type, "\nrewrought_",
                    name, " ", value, "\n");
  };
  one("calls_in_flight", "gauge", "Calls that are being answered.", in_flight_.load());
  one("grpc_connections", "gauge", "Open gRPC connections.", grpc_open.load());
  one("grpc_connections_accepted_total", "counter", "gRPC connections taken.", grpc_accepted.load());
  one("grpc_connections_refused_total", "counter", "gRPC connections beyond the limit.", grpc_refused.load());
  one("grpc_connections_evicted_total", "counter", "gRPC connections closed to make room.", grpc_evicted.load());
  one("http_connections", "gauge", "Open HTTP connections.", http_open.load());
  one("http_connections_accepted_total", "counter", "HTTP connections.", http_accepted.load());
  one("http_connections_refused_total", "counter", "HTTP connections beyond the limit.", http_refused.load());
  one("http_connections_evicted_total", "counter", "HTTP connections closed to make room.", http_evicted.load());
  one("http_timeouts_total", "counter", "HTTP connections closed because the client was too slow.",
      http_timed_out.load());
  one("http_requests_total", "counter", "HTTP requests.", http_requests.load());
  one("resident_bytes", "gauge", "Memory of the server, without its workers.", ResidentBytes());
  one("start_time_seconds", "gauge", "When the server started.", absl::ToUnixSeconds(started_));
  const std::lock_guard<std::mutex> lock(mutex_);
  absl::StrAppend(&text, "# HELP rewrought_calls_total Calls that ended, by gRPC status code.\n",
                  "# TYPE rewrought_calls_total counter\n");
  for (const auto& [method, counts] : methods_) {
    for (const auto& [code, count] : counts.by_code) {
      absl::StrAppend(&text, "rewrought_calls_total{method=\"", method, "\",code=\"", code, "\"} ", count, "\n");
    }
  }
  absl::StrAppend(&text, "# HELP rewrought_call_seconds How long calls took.\n",
                  "# TYPE rewrought_call_seconds histogram\n");
  for (const auto& [method, counts] : methods_) {
    int64_t sum = 0;
    for (size_t i = 0; i < counts.by_time.size(); ++i) {
      sum += counts.by_time[i];
      const std::string bound = i < kBounds.size() ? absl::StrCat(kBounds[i]) : "+Inf";
      absl::StrAppend(&text, "rewrought_call_seconds_bucket{method=\"", method, "\",le=\"", bound, "\"} ", sum, "\n");
    }
    absl::StrAppend(&text, "rewrought_call_seconds_sum{method=\"", method, "\"} ", counts.seconds, "\n");
    absl::StrAppend(&text, "rewrought_call_seconds_count{method=\"", method, "\"} ", sum, "\n");
  }
  return text;
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountingInterceptors(
    Metrics* metrics, ConnectionTable* connections) {
  return std::make_unique<Factory>(metrics, connections);
}

}  // namespace rewrought::rpc
