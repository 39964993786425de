// One HTTP/2 connection of a gRPC client, based on nghttp2. It admits each call when its headers have arrived, reads
// the messages of admitted calls under limits, and sends responses as the client reads them. It never blocks a thread.
#ifndef REWROUGHT_SERVER_HTTP_GRPC_SESSION_H_
#define REWROUGHT_SERVER_HTTP_GRPC_SESSION_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "server/access/memory_budget.h"
#include "server/http/grpc_gateway.h"
#include "server/http/session.h"

namespace rewrought::rpc {

struct GrpcLimits {
  int streams = 100;               // open calls on one connection, including cancelled calls that have not ended yet
  size_t head_bytes = 8 << 10;     // size of a call's headers
  size_t message_bytes = 1 << 20;  // size of one message of a client
  uint64_t resets = 200;           // calls that a client resets per second on average; a connection with more is closed
  uint64_t reset_burst = 1000;
  absl::Duration greeting = absl::Seconds(5);  // time for a TLS handshake and a client's first frame
  absl::Duration request = absl::Seconds(10);  // time for the message of a call to arrive
  absl::Duration idle = absl::Minutes(5);      // time without an open call
  absl::Duration write = absl::Seconds(20);    // time for the client to read at least some more of a response
};

// The state that all connections share. It outlives the connections.
struct GrpcShared {
  GrpcLimits limits;
  ListenerState* listener = nullptr;
  GrpcGateway* gateway = nullptr;
  MemoryBudget* memory = nullptr;
};

// Returns a session that serves `socket`, whose executor must be a strand. If `tls` is null, the connection is not
// encrypted.
std::shared_ptr<Session> MakeGrpcSession(GrpcShared* shared, boost::asio::ip::tcp::socket socket,
                                         boost::asio::ssl::context* tls);

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_GRPC_SESSION_H_
