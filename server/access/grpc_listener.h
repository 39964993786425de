// Accepts gRPC's connections and hands them over, a bounded number at a time: gRPC itself has no such bound, and would
// take every file descriptor that the process may have. At the bound a connection that nobody would miss gives way.
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
  // Binds and listens; sets the port where it is 0. `table` is told of each connection, but not of its requests
  // (CountingInterceptors). It and `metrics` outlive the listener. Errors: Listen's.
  static absl::StatusOr<std::unique_ptr<GrpcListener>> Bind(HostAndPort* address, int connections,
                                                            ConnectionTable* table, Metrics* metrics);
  ~GrpcListener();  // Stop
  GrpcListener(const GrpcListener&) = delete;
  GrpcListener& operator=(const GrpcListener&) = delete;

  // Accepts from now on, in a thread of its own. The acceptor's server must have been started.
  void Start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor);
  // Accepts no more; connections that were handed over stay.
  void Stop();

 private:
  // One that was handed over. gRPC closes its descriptor without a word, after which the number may mean something
  // else; ours, a duplicate, keeps the socket itself until we have seen that.
  struct Connection {
    int file;      // gRPC's
    ino_t socket;  // what it was
    int own;       // the duplicate
    ConnectionTable::Id id;
  };
  GrpcListener(std::vector<int> files, int connections, ConnectionTable* table, Metrics* metrics)
      : files_(std::move(files)), connections_(connections), table_(table), metrics_(metrics) {}
  void Accept(std::stop_token stop);
  void Take(int listener);
  bool MakeRoom();
  void Prune();

  const std::vector<int> files_;  // listening
  const int connections_;
  ConnectionTable* const table_;
  Metrics* const metrics_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::vector<Connection> open_;
  std::chrono::steady_clock::time_point pruned_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_ACCESS_GRPC_LISTENER_H_
