// Accepts gRPC connections and hands a bounded number of them to gRPC. gRPC itself has no such bound and would use up
// all file descriptors of the process. When the bound is reached, the least valuable connection is closed (see
// ConnectionTable).
#ifndef REWROUGHT_SERVER_ACCESS_GRPC_LISTENER_H_
#define REWROUGHT_SERVER_ACCESS_GRPC_LISTENER_H_

#include <grpcpp/server_builder.h>
#include <sys/types.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/address.h"
#include "server/http/connection_table.h"
#include "server/metrics.h"

namespace rewrought::rpc {

class GrpcListener {
 public:
  // Binds and listens; replaces port 0 with the actual port. Reports each connection to `table`, but not the
  // connection's requests (see CountingInterceptors). `table` and `metrics` must outlive the listener. Fails with
  // Listen's errors.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Bind(HostAndPort* address, int connections,
                                                            ConnectionTable* table, Metrics* metrics);
  ~GrpcListener();  // calls Stop
  GrpcListener(const GrpcListener&) = delete;
  GrpcListener& operator=(const GrpcListener&) = delete;

  // Starts a thread that accepts connections and passes them to `acceptor`, whose server must have been started.
  void Start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor);
  // Stops accepting connections. Connections that were handed over to gRPC stay open.
  void Stop();

 private:
  // A connection that was handed over to gRPC. gRPC closes its descriptor without notice, after which the descriptor's
  // number may be reused. Our duplicate keeps the socket open until we notice that gRPC has closed its own descriptor.
  struct Connection {
    int file;      // gRPC's descriptor
    ino_t socket;  // the socket's inode, to which gRPC's descriptor refers
    int own;       // our duplicate of gRPC's descriptor
    ConnectionTable::Id id;
  };
  GrpcListener(std::vector<int> files, int connections, ConnectionTable* table, Metrics* metrics)
      : files_(std::move(files)), connections_(connections), table_(table), metrics_(metrics) {}
  void Accept(std::stop_token stop);
  void Take(int listener);
  bool MakeRoom();
  void Prune();

  const std::vector<int> files_;  // listening sockets
  const int connections_;
  ConnectionTable* const table_;
  Metrics* const metrics_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::vector<Connection> open_;
  std::chrono::steady_clock::time_point pruned_;
  std::jthread thread_;  // must be the last member, because the thread uses the others
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_GRPC_LISTENER_H_
