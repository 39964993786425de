// HTTP/1.1 connections under limits: a thread each, a deadline per request, a bound on bytes and on connections, TLS.
// At the bound a connection that nobody would miss gives way.
// What is read is parsed by cpp-httplib.
#ifndef REWROUGHT_SERVER_RPC_HTTP_HTTP_SERVER_H_
#define REWROUGHT_SERVER_RPC_HTTP_HTTP_SERVER_H_

#include <httplib.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/rpc/access/address.h"
#include "server/rpc/access/tls.h"
#include "server/rpc/http/connection_table.h"
#include "server/rpc/metrics.h"

namespace rewrought::rpc {

struct HttpLimits {
  int connections = 256;                          // open at once; if all are busy, more are told 503 and closed
  absl::Duration idle = absl::Seconds(30);        // until a connection's next request starts
  absl::Duration request = absl::Seconds(10);     // for a request to arrive as a whole
  absl::Duration write = absl::Seconds(20);       // for the client to take any of an answer
  absl::Duration crowded = absl::Seconds(1);      // idle, and request, when three quarters of the connections are taken
  size_t request_bytes = (1 << 20) + (64 << 10);  // of one request, headers and framing included
};

// What handlers may know of the connection that they answer on.
class HttpPeer {
 public:
  virtual ~HttpPeer() = default;
  // Whether the client has closed the connection, or the server goes down.
  virtual bool Gone() = 0;
  // The request has been read as a whole: until it is answered, the connection does not give way to others.
  virtual void Asked() = 0;
  // The request's rest is not read, so nothing after it can be.
  virtual void CloseAfterAnswer() = 0;
  // The client's IP address.
  virtual std::string Address() const = 0;
  // Of the calling thread; null outside of handlers.
  static HttpPeer* Current();
};

// Handlers are set as for any httplib::Server.
class HttpServer final : public httplib::Server {
 public:
  // `metrics` outlives the server. `tls` may hold null: clear text.
  HttpServer(const HttpLimits& limits, SslContext tls, Metrics* metrics);
  ~HttpServer() override;

  // Binds and listens; answers after Run. Sets the port where it is 0. Errors: ProbeAddress's.
  absl::Status Bind(HostAndPort* address);
  // Accepts until Stop.
  void Run();
  // Accepts no more. Requests in flight see their peer gone.
  void Stop();
  // Returns when all connections are closed; after Stop.
  void Join();

 private:
  class Connection;
  class Threads;
  bool process_and_close_socket(socket_t file) override;
  bool Crowded() const;
  bool MakeRoom();

  const HttpLimits limits_;
  const SslContext tls_;
  Metrics* const metrics_;
  ConnectionTable connections_;
  std::atomic<bool> stopping_{false};
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_RPC_HTTP_HTTP_SERVER_H_
