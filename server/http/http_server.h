// Accepts a bounded number of HTTP connections and serves them on a few threads. When the bound is reached, the least
// valuable connection is closed (see ConnectionTable).
#ifndef REWROUGHT_SERVER_HTTP_HTTP_SERVER_H_
#define REWROUGHT_SERVER_HTTP_HTTP_SERVER_H_

#include <memory>

#include "absl/status/status.h"
#include "server/access/address.h"
#include "server/access/tls.h"
#include "server/http/http_session.h"

namespace rewrought::rpc {

class HttpServer {
 public:
  // `handler` and `metrics` must outlive the server. If `tls` is null, connections are not encrypted. `headers` are
  // added to every response, except those that the response already has.
  HttpServer(const HttpLimits& limits, SslContext tls, HttpHeaders headers, HttpHandler* handler, Metrics* metrics);
  ~HttpServer();  // calls Stop, then Join
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, listens, and starts answering requests. Replaces port 0 with the actual port. Fails with Listen's errors.
  absl::Status Start(HostAndPort* address);
  // Stops accepting connections, closes idle connections, and tells handlers that nobody is waiting for their
  // responses.
  void Stop();
  // Blocks until all connections are closed. Must be called after Stop.
  void Join();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SERVER_H_
