// Accepts a bounded number of HTTP connections and serves them on a few threads. At the bound, the least valuable
// connection is closed (see ConnectionTable).
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
  // `handler` and `metrics` must outlive the server. `tls` may be null for clear text. `headers` are added to every
  // response unless it has a header of the same name.
  HttpServer(const HttpLimits& limits, SslContext tls, HttpHeaders headers, HttpHandler* handler, Metrics* metrics);
  ~HttpServer();  // calls Stop, then Join
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, listens and starts answering. Replaces port 0 with the actual port. Fails with Listen's errors.
  absl::Status Start(HostAndPort* address);
  // Stops accepting, closes idle connections, and tells handlers that nobody waits for their responses.
  void Stop();
  // Blocks until all connections are closed. Call after Stop.
  void Join();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SERVER_H_
