#include "server/metrics.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/server_context.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace rewrought::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;

// Returns the label of a method. Callers choose the path, so only known methods become labels; otherwise the table
// would grow without bound.
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
  CountingInterceptor(Metrics* metrics, grpc::experimental::ServerRpcInfo* info)
      : metrics_(metrics), method_(info->method() == nullptr ? "" : info->method()), started_(absl::Now()) {
    metrics_->CallStarted();
  }
  ~CountingInterceptor() override { metrics_->CallEnded(method_, code_, absl::Now() - started_); }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      code_ = methods->GetSendStatus().error_code();
    }
    methods->Proceed();
  }

 private:
  Metrics* const metrics_;
  const std::string method_;
  const absl::Time started_;
  int code_ = grpc::StatusCode::CANCELLED;  // the code for a call that ends without a status
};

class Factory final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Factory(Metrics* metrics) : metrics_(metrics) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(grpc::experimental::ServerRpcInfo* info) override {
    return new CountingInterceptor(metrics_, info);
  }

 private:
  Metrics* const metrics_;
};

}  // namespace

Metrics::Metrics()
    : started_(absl::Now()),
      calls_(prometheus::BuildCounter()
                 .Name("rewrought_calls_total")
                 .Help("Calls that ended, by gRPC status code.")
                 .Register(registry_)),
      seconds_(
          prometheus::BuildHistogram().Name("rewrought_call_seconds").Help("Duration of calls.").Register(registry_)) {}

void Metrics::CallEnded(absl::string_view method, int code, absl::Duration took) {
  static const prometheus::Histogram::BucketBoundaries kBounds = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60};
  --in_flight_;
  const std::string label = LabelOf(method);
  calls_.Add({{"method", label}, {"code", absl::StrCat(code)}}).Increment();
  seconds_.Add({{"method", label}}, kBounds).Observe(absl::ToDoubleSeconds(took));
}

prometheus::MetricFamily FamilyOf(absl::string_view name, prometheus::MetricType type, absl::string_view help,
                                  const std::vector<LabelledValue>& values) {
  prometheus::MetricFamily family;
  family.name = absl::StrCat("rewrought_", name);
  family.help = std::string(help);
  family.type = type;
  for (const LabelledValue& value : values) {
    prometheus::ClientMetric& metric = family.metric.emplace_back();
    metric.label = value.labels;
    (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value.value;
  }
  return family;
}

std::vector<prometheus::MetricFamily> Metrics::Connections() const {
  constexpr auto kGauge = prometheus::MetricType::Gauge, kCounter = prometheus::MetricType::Counter;
  const auto one = [](absl::string_view name, prometheus::MetricType type, absl::string_view help, auto value) {
    return FamilyOf(name, type, help, {{{}, static_cast<double>(value)}});
  };
  return {
      one("calls_in_flight", kGauge, "Calls in flight.", in_flight_.load()),
      one("grpc_connections", kGauge, "Open gRPC connections.", grpc.open.load()),
      one("grpc_connections_accepted_total", kCounter, "gRPC connections accepted.", grpc.accepted.load()),
      one("grpc_connections_refused_total", kCounter, "gRPC connections refused because of the limit.",
          grpc.refused.load()),
      one("grpc_connections_evicted_total", kCounter, "gRPC connections closed to make room.", grpc.evicted.load()),
      one("http_connections", kGauge, "Open HTTP connections.", http.open.load()),
      one("http_connections_accepted_total", kCounter, "HTTP connections accepted.", http.accepted.load()),
      one("http_connections_refused_total", kCounter, "HTTP connections refused because of the limit.",
          http.refused.load()),
      one("http_connections_evicted_total", kCounter, "HTTP connections closed to make room.", http.evicted.load()),
      one("http_timeouts_total", kCounter, "HTTP connections closed because the client was too slow.",
          http.timed_out.load()),
      one("grpc_timeouts_total", kCounter, "gRPC connections closed because the client was too slow.",
          grpc.timed_out.load()),
      one("http_requests_total", kCounter, "HTTP requests.", http_requests.load()),
      one("resident_bytes", kGauge, "Memory of the server, without its workers.", ResidentBytes()),
      one("start_time_seconds", kGauge, "Start time of the server, in seconds since the Unix epoch.",
          absl::ToUnixSeconds(started_)),
  };
}

std::string Metrics::Text() const {
  std::vector<prometheus::MetricFamily> families = Connections();
  const auto add = [&](std::vector<prometheus::MetricFamily> more) {
    for (prometheus::MetricFamily& family : more) families.push_back(std::move(family));
  };
  add(registry_.Collect());
  if (more_ != nullptr) add(more_->Collect());
  return prometheus::TextSerializer().Serialize(families);
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountingInterceptors(Metrics* metrics) {
  return std::make_unique<Factory>(metrics);
}

}  // namespace rewrought::rpc
