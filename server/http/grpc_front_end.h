// The gRPC front end of `rewrought serve`. It serves all methods, and gRPC's own services, to network clients.
#ifndef REWROUGHT_SERVER_HTTP_GRPC_FRONT_END_H_
#define REWROUGHT_SERVER_HTTP_GRPC_FRONT_END_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/tls.h"
#include "server/http/grpc_gateway.h"
#include "server/http/grpc_session.h"
#include "server/http/listener.h"
#include "server/metrics.h"

namespace rewrought::rpc {

struct GrpcFrontEndOptions {
  HostAndPort address;
  int connections = 1000;  // maximum number of open connections
  GrpcLimits limits;
};

class GrpcFrontEnd {
 public:
  // Returns a front end that is listening. `gateway`, `memory`, and `metrics` must outlive it. Fails with the errors of
  // Listener::Start.
  static absl::StatusOr<std::unique_ptr<GrpcFrontEnd>> Start(const GrpcFrontEndOptions& options, const TlsFiles& tls,
                                                             std::unique_ptr<GrpcGateway> gateway, MemoryBudget* memory,
                                                             Metrics* metrics);
  ~GrpcFrontEnd();  // calls Stop, then Join

  const HostAndPort& address() const { return options_.address; }

  // Stops accepting connections and calls. Calls in progress continue.
  void Stop();
  // Blocks until all calls have ended. Must be called after Stop.
  void Join();

 private:
  GrpcFrontEnd(const GrpcFrontEndOptions& options, std::unique_ptr<GrpcGateway> gateway)
      : options_(options), gateway_(std::move(gateway)) {}

  GrpcFrontEndOptions options_;
  const std::unique_ptr<GrpcGateway> gateway_;
  GrpcShared shared_;
  std::unique_ptr<Listener> listener_;  // must be the last member, because it uses the others
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_GRPC_FRONT_END_H_
