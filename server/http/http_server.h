// Accepts HTTP connections, a bounded number at a time, and runs them on a few threads. At the bound a connection that
// nobody would miss gives way.
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
  // `handler` and `metrics` outlive the server. `tls` may hold null: clear text. `headers` go with every answer that
  // has none of that name.
  HttpServer(const HttpLimits& limits, SslContext tls, HttpHeaders headers, HttpHandler* handler, Metrics* metrics);
  ~HttpServer();  // Stop, then Join
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, listens and answers from now on. Sets the port where it is 0. Errors: Listen's.
  absl::Status Start(HostAndPort* address);
  // Accepts no more and closes what waits; handlers hear that nobody waits for their answers.
  void Stop();
  // Returns when all connections are closed; after Stop.
  void Join();

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_HTTP_HTTP_SERVER_H_
